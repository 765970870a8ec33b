import type { Orm } from './orm.ts';

/** What a pool on PostgreSQL and the embedded database have in common: one statement, in a transaction of its own. */
export type Client = {
  query<Row>(statement: string, parameters: unknown[]): Promise<{ rows: Row[] }>;
};

/** The ORM's own connections; what is optional here a pool has, and the embedded database has not. */
type NativeClient = Client & {
  /** open connections, those of them that nobody uses, and who waits for one */
  readonly totalCount?: number;
  readonly idleCount?: number;
  readonly waitingCount?: number;
  readonly options?: { readonly max?: number };
};

/** For what has to be one statement and one round trip. */
export async function nativeClient(orm: Orm): Promise<NativeClient> {
  return (await orm.em.getDriver().getConnection().getNativeClient()) as NativeClient;
}

/** SQLSTATE of a connection that has failed: that is what an answer without a row has come over. */
const lostAnswer = '08006';

/**
 * Calls a function of the migrations by the names of its parameters. It enters its organization by itself: nothing
 * here does, and no filter of the ORM is added.
 * @throws what the database says, and SQLSTATE 08006 where its answer has no row, which no function's has
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
  if (row === undefined) throw Object.assign(new Error(`${name} was called and has no result.`), { code: lostAnswer });
  return row.result;
}

/** Runs the call of the function in the database that has this name, and may time it. */
export type AroundCall = <Result>(name: string, call: () => Promise<Result>) => Promise<Result>;

/** The same client, whose calls of the migrations' functions go through `around`; other statements are nobody's request. */
export function tracedClient(client: Client, around: AroundCall): Client {
  return {
    query<Row>(statement: string, parameters: unknown[]) {
      const call = () => client.query<Row>(statement, parameters);
      const name = /^select (\w+)\(/.exec(statement)?.[1];
      return name === undefined ? call() : around(name, call);
    },
  };
}
