import type { Orm } from './orm.ts';
import type { Outage } from './outage.ts';

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

/** The same connections; `outage` is told of each answer, and of each failure. */
export function watchedClient(client: Client, outage: Pick<Outage, 'answered' | 'failed'>): Client {
  return {
    async query<Row>(statement: string, parameters: unknown[]) {
      try {
        const result = await client.query<Row>(statement, parameters);
        outage.answered();
        return result;
      } catch (error) {
        outage.failed(error);
        throw error;
      }
    },
  };
}

/**
 * Rejects unless the database answers and takes writes.
 * @throws what the database says, and SQLSTATE 25006 where it is a standby
 */
export async function requireWritable(client: Client): Promise<void> {
  const { rows } = await client.query<{ refused: string }>(
    `select current_setting('transaction_read_only') as refused`,
    [],
  );
  if (rows[0]?.refused !== 'off') throw Object.assign(new Error('The database takes no writes.'), { code: '25006' });
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
