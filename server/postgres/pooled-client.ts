import { EventEmitter } from 'node:events';
import { TLSSocket } from 'node:tls';
import type { Client, ClientConfig } from 'pg';
import type { Connect } from './connect.ts';

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
 * used again for another.
 */
export function createPooledClient(connect: Connect) {
  return class PooledClient extends EventEmitter {
    readonly #settings: Pick<ClientConfig, 'types' | 'database'>;
    #client: (Client & Inside) | undefined;
    #ending = false;

    constructor({ types, database }: ClientConfig) {
      super();
      this.#settings = { types, database };
    }

    connect(done: Done): void {
      connect(this.#settings).then((client) => {
        // The pool has timed out meanwhile.
        if (this.#ending) void client.end();
        else this.#take(client as Client & Inside);
        done(this.#ending ? new Error('Connection terminated') : undefined);
      }, done);
    }

    #take(client: Client & Inside): void {
      client.on('error', (error) => this.emit('error', error));
      client.on('end', () => this.emit('end'));
      this.#client = client;
    }

    query(...statement: Parameters<Client['query']>): unknown {
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
      return this.#connected._queryable;
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
