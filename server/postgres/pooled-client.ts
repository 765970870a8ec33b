import { EventEmitter } from 'node:events';
import { TLSSocket } from 'node:tls';
import type { Client, ClientConfig } from 'pg';
import type { Connect, Connected } from './server-search.ts';
import { createStatementLimit } from './statement-limit.ts';

type Done = (error?: Error) => void;

/** What `pg`'s pool reads of its clients, and the query builder. Their types leave it out. */
type Inside = {
  connection: { stream: unknown };
  processID: number | null;
  _queryable: boolean;
  _ending: boolean;
  ref(): void;
  unref(): void;
};

/**
 * The class of the clients of a pool whose servers `connect` looks for: `pg`'s own client knows one server, and cannot be
 * used again for another. With `statementMilliseconds` a statement that takes longer ends, at the server too.
 */
export function createPooledClient(connect: Connect, statementMilliseconds: number | undefined) {
  return class PooledClient extends EventEmitter {
    readonly #settings: Pick<ClientConfig, 'types' | 'database'>;
    #client: (Client & Inside) | undefined;
    #limit: ReturnType<typeof createStatementLimit> | undefined;
    #ending = false;

    constructor({ types, database }: ClientConfig) {
      super();
      this.#settings = { types, database };
    }

    connect(done: Done): void {
      connect(this.#settings).then((connected) => {
        // The pool has lost its patience meanwhile.
        if (this.#ending) void connected.client.end();
        else this.#take(connected);
        done(this.#ending ? new Error('Connection terminated') : undefined);
      }, done);
    }

    #take(connected: Connected): void {
      const client = connected.client as Client & Inside;
      client.on('error', (error) => this.emit('error', error));
      client.on('end', () => this.emit('end'));
      this.#client = client;
      if (statementMilliseconds !== undefined) this.#limit = createStatementLimit(connected, statementMilliseconds);
    }

    query(...statement: Parameters<Client['query']>): unknown {
      this.#limit?.begin();
      return this.#connected.query(...statement);
    }

    end(done?: () => void): unknown {
      this.#ending = true;
      if (this.#client !== undefined) return done ? this.#client.end(done) : this.#client.end();
      return done?.();
    }

    ref(): void {
      this.#connected.ref();
    }

    unref(): void {
      this.#connected.unref();
    }

    isConnected(): boolean {
      return this.#client !== undefined;
    }

    /** `TLSv1.3`, say; null where the connection is not encrypted. */
    get encryption(): string | null {
      const { stream } = this.#connected.connection;
      return stream instanceof TLSSocket ? stream.getProtocol() : null;
    }

    get processID(): number | null {
      return this.#connected.processID;
    }

    /** The pool takes a client back only while it is. */
    get _queryable(): boolean {
      return this.#connected._queryable && this.#limit?.exceeded !== true;
    }

    get _ending(): boolean {
      return this.#ending || this.#connected._ending;
    }

    get #connected(): Client & Inside {
      if (this.#client === undefined) throw new Error('The client is not connected.');
      return this.#client;
    }
  };
}
