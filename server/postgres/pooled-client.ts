import { EventEmitter } from 'node:events';
import { TLSSocket } from 'node:tls';
import type { Client, ClientConfig } from 'pg';
import type { Connect } from './connect.ts';

type Done = (error?: Error) => void;

/** Members of `pg`'s clients that its pool and the query builder access, and that its types omit. */
type Internals = {
  connection: { stream: unknown };
  processID: number | null;
  _queryable: boolean;
  _ending: boolean;
  ref(): void;
  unref(): void;
};

/** `pg`'s own client is bound to one server and cannot fail over to another. */
export function createPooledClient(connect: Connect) {
  return class PooledClient extends EventEmitter {
    readonly #settings: Pick<ClientConfig, 'types' | 'database'>;
    #client: (Client & Internals) | undefined;
    #ending = false;

    constructor({ types, database }: ClientConfig) {
      super();
      this.#settings = { types, database };
    }

    connect(done: Done): void {
      connect(this.#settings).then((client) => {
        // The pool's connection timeout can expire first.
        if (this.#ending) void client.end();
        else this.#take(client as Client & Internals);
        done(this.#ending ? connectionTerminatedError() : undefined);
      }, done);
    }

    #take(client: Client & Internals): void {
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

    /** The TLS version, such as `TLSv1.3`; null if the connection is not encrypted. */
    get encryption(): string | null {
      const { stream } = this.#connected.connection;
      return stream instanceof TLSSocket ? stream.getProtocol() : null;
    }

    get processID(): number | null {
      return this.#connected.processID;
    }

    /** The pool discards a released client for which this is false. */
    get _queryable(): boolean {
      return this.#connected._queryable;
    }

    get _ending(): boolean {
      return this.#ending || this.#connected._ending;
    }

    get #connected(): Client & Internals {
      if (this.#client === undefined) throw new Error('The client is not connected.');
      return this.#client;
    }
  };
}

/** Has a code like the errors of Node's connections, so that it counts as an unavailable database. */
function connectionTerminatedError(): Error {
  return Object.assign(new Error('Connection terminated'), { code: 'ECONNABORTED' });
}
