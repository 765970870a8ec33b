import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { type Client, type ClientConfig, Connection } from 'pg';
import type { Connect, Connected } from './server-search.ts';

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
        // The pool has timed out meanwhile.
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

/** How long a server gets to say that it has cancelled a statement, before the connection is closed. */
const farewellMilliseconds = 1_000;

/**
 * Ends a statement that takes too long: first at the server, so that it neither goes on nor keeps its locks, then here.
 * It is no setting of the session, because poolers refuse those.
 */
function createStatementLimit(connected: Connected, milliseconds: number) {
  const { client } = connected;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  let exceeded = false;

  function exceed(): void {
    exceeded = true;
    void cancelStatement(connected);
    timer = setTimeout(() => void client.end(), farewellMilliseconds);
  }

  client.on('drain', () => clearTimeout(timer));
  client.on('end', () => {
    ended = true;
    clearTimeout(timer);
  });
  return {
    /** To be called with each statement. */
    begin(): void {
      clearTimeout(timer);
      if (!ended) timer = setTimeout(exceed, milliseconds);
    },
    /** Whether a cancellation is, or was, on its way: it could meet the next statement. */
    get exceeded(): boolean {
      return exceeded;
    },
  };
}

/** As much of `pg`'s own connection as a cancellation needs; its types leave it out. */
type Wire = EventEmitter & {
  readonly stream: Duplex;
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
};

/** What the server told the client at sign-in. */
type Named = { processID: number; secretKey: number };

const maxMilliseconds = 1_000;

/**
 * Asks the server, over a connection of its own as the protocol has it, to cancel what `connected` is carrying out; a pooler
 * in between passes it on. Resolves when the server has taken it, or when it takes too long; never rejects.
 */
function cancelStatement({ client, host, tls }: Connected): Promise<void> {
  // The client's own `cancel` has no TLS: a listener on the network could read the key and cancel too.
  const wire = new Connection(tls === undefined ? {} : { ssl: tls }) as Connection & Wire;
  const { processID, secretKey } = client as unknown as Named;
  const cancel = () => wire.cancel(processID, secretKey);
  return new Promise((resolve) => {
    const timer = setTimeout(() => wire.stream.destroy(), maxMilliseconds);
    wire.on('connect', () => (tls ? wire.requestSsl() : cancel()));
    wire.on('sslconnect', cancel);
    wire.on('error', () => wire.stream.destroy());
    wire.on('end', () => {
      clearTimeout(timer);
      resolve();
    });
    if (host.name.startsWith('/')) wire.connect(`${host.name}/.s.PGSQL.${host.port}`);
    else wire.connect(host.port, host.name || 'localhost');
  });
}
