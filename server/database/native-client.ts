import { sqlStates } from '../postgres/sql-states.ts';
import type { Orm } from './orm.ts';

/** The common interface of `pg`'s pool and the embedded database: each statement runs in its own transaction. */
export type Client = {
  query<Row>(statement: string, parameters: unknown[]): Promise<{ rows: Row[] }>;
};

/** Only a pool has the optional members. */
type NativeClient = Client & {
  readonly totalCount?: number;
  readonly idleCount?: number;
  readonly waitingCount?: number;
  readonly options?: { readonly max?: number };
};

/** Returns whether a statement would wait for a connection. The embedded database has no pool. */
export function isPoolExhausted({ totalCount = 0, idleCount = 0, options }: NativeClient): boolean {
  return options?.max !== undefined && totalCount >= options.max && idleCount === 0;
}

/** Returns the client below the ORM. It runs a statement in one round trip. */
export async function getNativeClient(orm: Orm): Promise<NativeClient> {
  return (await orm.em.getDriver().getConnection().getNativeClient()) as NativeClient;
}

/**
 * Calls a database function with named parameters. The function itself sets which organizations it can access; the ORM's filters
 * do not apply.
 * @throws the database's error, or one with SQLSTATE 08006 if the result has no row
 */
export async function callFunction<Result>(
  client: Client,
  name: string,
  parameters: Record<string, string | number | boolean | null>,
): Promise<Result> {
  const list = Object.keys(parameters).map((parameter, index) => `${parameter} => $${index + 1}`);
  const statement = `select ${name}(${list.join(', ')}) as result`;
  const { rows } = await client.query<{ result: Result }>(statement, Object.values(parameters));
  const [row] = rows;
  if (row === undefined) {
    // Only a broken connection can cause a result without a row.
    const error = new Error(`The function ${name} returned no row.`);
    throw Object.assign(error, { code: sqlStates.connectionFailure });
  }
  return row.result;
}

export type TraceCall = <Result>(name: string, call: () => Promise<Result>) => Promise<Result>;

/** Wraps `client` so that calls of database functions run in `traceCall`. Other statements are not traced. */
export function tracedClient(client: Client, traceCall: TraceCall): Client {
  return {
    query<Row>(statement: string, parameters: unknown[]) {
      const call = () => client.query<Row>(statement, parameters);
      const name = /^select (\w+)\(/.exec(statement)?.[1];
      return name === undefined ? call() : traceCall(name, call);
    },
  };
}
