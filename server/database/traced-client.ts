import type { Client } from './client.ts';

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
