import type { Orm } from './orm.ts';
import type { Outage } from './outage.ts';

/** What a pool on PostgreSQL and the embedded database have in common: one statement, in a transaction of its own. */
export type Client = {
  /** Once `left` is aborted it is rejected with its reason, and nothing is sent any more: there may be a wait for a connection. */
  query<Row>(statement: string, parameters: unknown[], left?: AbortSignal): Promise<{ rows: Row[] }>;
};

/** As much of a pool's client as this needs. */
type Connection = Pick<Client, 'query'> & {
  on(event: 'error', listener: () => void): void;
  off(event: 'error', listener: () => void): void;
  release(error?: unknown): void;
};

/** The ORM's own connections; what is optional here a pool has, and the embedded database has not. */
type NativeClient = Client & {
  connect?(): Promise<Connection>;
  /** open connections, those of them that nobody uses, and who waits for one */
  readonly totalCount?: number;
  readonly idleCount?: number;
  readonly waitingCount?: number;
  readonly options?: { readonly max?: number };
};

/** For what has to be one statement and one round trip. It knows nothing of `left`. */
export async function nativeClient(orm: Orm): Promise<NativeClient> {
  return (await orm.em.getDriver().getConnection().getNativeClient()) as NativeClient;
}

/** The same connections. A statement whose asker has `left` is not sent. */
export function leavableClient(client: NativeClient): Client {
  return {
    async query<Row>(statement: string, parameters: unknown[], left?: AbortSignal) {
      if (left === undefined || client.connect === undefined) {
        left?.throwIfAborted();
        return client.query<Row>(statement, parameters);
      }
      const connection = await client.connect();
      // A connection that breaks rejects its statement as well; without a listener it would end the process.
      const ignore = () => undefined;
      connection.on('error', ignore);
      let broken: unknown;
      try {
        left.throwIfAborted();
        return await connection.query<Row>(statement, parameters);
      } catch (error) {
        if (!left.aborted || error !== left.reason) broken = error;
        throw error;
      } finally {
        connection.off('error', ignore);
        connection.release(broken);
      }
    },
  };
}

/** The same connections; `outage` is told of each answer, and of each failure. */
export function watchedClient(client: Client, outage: Pick<Outage, 'answered' | 'failed'>): Client {
  return {
    async query<Row>(statement: string, parameters: unknown[], left?: AbortSignal) {
      try {
        const result = await client.query<Row>(statement, parameters, left);
        outage.answered();
        return result;
      } catch (error) {
        if (!left?.aborted || error !== left.reason) outage.failed(error);
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
 * @throws what the database says, SQLSTATE 08006 where its answer has no row, which no function's has, and the reason of
 * `left` where it was aborted before anything was sent
 */
export async function callFunction<Result>(
  client: Client,
  name: string,
  parameters: Record<string, string | number | boolean | null>,
  left?: AbortSignal,
): Promise<Result> {
  const list = Object.keys(parameters).map((parameter, index) => `${parameter} => $${index + 1}`);
  const statement = `select ${name}(${list.join(', ')}) as result`;
  const { rows } = await client.query<{ result: Result }>(statement, Object.values(parameters), left);
  const [row] = rows;
  if (row === undefined) throw Object.assign(new Error(`${name} was called and has no result.`), { code: lostAnswer });
  return row.result;
}
