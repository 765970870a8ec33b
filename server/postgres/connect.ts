import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import { Client, type ClientConfig } from 'pg';
import type { Host, Parameters, PostgresAddress } from './address.ts';

/**
 * How to encrypt a connection to `host`, as `pg` takes it: undefined where the address does not say, false for not at all.
 * The files are read for each connection, so that renewed ones count without a restart.
 * @throws Error that names the parameter of `variable` whose file cannot be used
 */
async function readTls(
  { sslmode, sslrootcert, sslcert, sslkey }: Parameters,
  host: string,
  variable: string,
): Promise<ConnectionOptions | false | undefined> {
  if (sslmode === undefined) return undefined;
  // As for libpq: who can read a Unix socket has the machine.
  if (sslmode === 'disable' || host.startsWith('/')) return false;
  const authority = sslrootcert === 'system' ? undefined : sslrootcert;
  const certificate = (pem: string) => new X509Certificate(pem);
  const [ca, cert, key] = await Promise.all([
    readPem(`The sslrootcert of ${variable}`, authority, certificate),
    readPem(`The sslcert of ${variable}`, sslcert, certificate),
    readPem(`The sslkey of ${variable}`, sslkey, createPrivateKey),
  ]);
  return {
    secureContext: createSecureContext({ ca, cert, key }),
    // The name to find in the certificate. Without it an address in numbers would be taken for "localhost".
    host,
    rejectUnauthorized: sslmode !== 'require' || authority !== undefined,
    ...(sslmode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
}

async function readPem(what: string, path: string | undefined, check: (pem: string) => unknown) {
  if (path === undefined) return undefined;
  try {
    const pem = await readFile(path, 'utf8');
    check(pem);
    return pem;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : 'unknown';
    throw new Error(`${what} names a file that cannot be used (${code}).`, { cause });
  }
}

type TargetSession = Parameters['target_session_attrs'];

type Session = { standby: boolean; readOnly: boolean };

/** What each word asks of a server, as libpq has it. */
const suits: Record<TargetSession, (session: Session) => boolean> = {
  any: () => true,
  'read-write': ({ standby, readOnly }) => !standby && !readOnly,
  'read-only': ({ standby, readOnly }) => standby || readOnly,
  primary: ({ standby }) => !standby,
  standby: ({ standby }) => standby,
  'prefer-standby': ({ standby }) => standby,
};

/** What is asked of the servers in one round, and in the next where none suits. */
function roundsOf(target: TargetSession): readonly TargetSession[] {
  return target === 'prefer-standby' ? [target, 'any'] : [target];
}

/** Whether the server that `client` is connected to is what is asked for. One round trip, unless any will do. */
async function isSuited(client: Client, target: TargetSession): Promise<boolean> {
  if (target === 'any') return true;
  const { rows } = await client.query<Session>(
    `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as "readOnly"`,
  );
  const [session] = rows;
  return session !== undefined && suits[target](session);
}

/** Connects to the first server that answers and suits. `types` are the parsers of values, `database` its name. */
export type Connect = (settings: Pick<ClientConfig, 'types' | 'database'>) => Promise<Client>;

export type ConnectOptions = {
  /** The name of the variable that holds the address, for errors. */
  variable: string;
  /** How long a statement may take. The server cancels it then; undefined for no limit. */
  statementMilliseconds?: number | undefined;
};

/** SQLSTATE: no connection could be established. */
const unableToConnect = '08001';

/** SQLSTATEs of a pooler that does not accept a setting of a session: protocol violation, feature not supported. */
const refusedSettings: ReadonlySet<string> = new Set(['08P01', '0A000']);

/** How much longer than the server the client waits for the end of a statement, before it takes the connection for dead. */
const answerMilliseconds = 1_000;

/** No server of an address could be used; `errors` has the reason of each. */
export class NoServerError extends AggregateError {
  override readonly name = 'NoServerError';
  readonly code = unableToConnect;
}

/** How long all servers together may take to answer, where the address does not say how long each may. */
const timeoutMilliseconds = 5_000;

/** A server that gave no sign of life is asked last for so long: each new connection would wait for it again. */
const distrustMilliseconds = 30_000;

const milliseconds = ({ hosts, parameters }: PostgresAddress) =>
  parameters.connect_timeout === undefined ? timeoutMilliseconds / hosts.length : parameters.connect_timeout * 1000;

/** The longest that a connection can take to be made. */
export function maxConnectMilliseconds(address: PostgresAddress): number {
  return milliseconds(address) * address.hosts.length * roundsOf(address.parameters.target_session_attrs).length;
}

/**
 * Connects as libpq does: it tries the servers in their order, each for `connect_timeout`, until one lets it in and is what
 * `target_session_attrs` asks for.
 *
 * The limit of a statement is a setting of the session. A pooler may refuse it. The connections are made without it then,
 * and the setting of the login applies. In either case a connection that stays silent for longer than the limit is closed.
 */
export function createConnect(address: PostgresAddress, { variable, statementMilliseconds }: ConnectOptions): Connect {
  const { hosts, user, password, parameters } = address;
  const { application_name, options, target_session_attrs } = parameters;
  const login = { user, password, application_name };
  const limit = milliseconds(address);
  const silentAt = new Map<Host, number>();
  let limitsSession = statementMilliseconds !== undefined;

  function inOrder(): Host[] {
    const isSilent = (host: Host) => performance.now() - (silentAt.get(host) ?? -Infinity) < distrustMilliseconds;
    return hosts.toSorted((one, other) => Number(isSilent(one)) - Number(isSilent(other)));
  }

  async function tryServer(host: Host, target: TargetSession, settings: ClientConfig): Promise<Client> {
    const unlimited = { ...settings, options };
    if (!limitsSession) return connectTo(host, target, unlimited);
    // Of two settings of the same name the last one counts, so that the address can have another limit.
    const limited = `-c statement_timeout=${statementMilliseconds} ${options ?? ''}`.trimEnd();
    try {
      return await connectTo(host, target, { ...settings, options: limited });
    } catch (error) {
      if (!isRefusedSetting(error)) throw error;
      limitsSession = false;
      return connectTo(host, target, unlimited);
    }
  }

  async function connectTo(host: Host, target: TargetSession, settings: ClientConfig): Promise<Client> {
    const ssl = await readTls(parameters, host.name, variable);
    const client = new Client({ ...settings, ...login, host: host.name, port: host.port, ssl });
    // The promise tells the caller. Without a listener the error would end the process.
    client.on('error', () => undefined);
    const timer = setTimeout(() => {
      silentAt.set(host, performance.now());
      client.connection.stream.destroy(new Error('timeout expired'));
    }, limit);
    try {
      await client.connect();
      if (!(await isSuited(client, target))) throw new Error(`The server is not what ${target} asks for.`);
      silentAt.delete(host);
      if (statementMilliseconds !== undefined) closeWhenSilent(client, statementMilliseconds + answerMilliseconds);
      return client;
    } catch (error) {
      void client.end();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  return async (settings) => {
    const errors: Error[] = [];
    for (const target of roundsOf(target_session_attrs)) {
      for (const host of inOrder()) {
        try {
          return await tryServer(host, target, settings);
        } catch (error) {
          if (!(error instanceof Error) || isRefusedLogin(error)) throw error;
          errors.push(error);
        }
      }
    }
    const [only] = errors;
    if (errors.length === 1 && target_session_attrs === 'any') throw only;
    const reasons = errors.map(({ message }) => message).join('; ');
    throw new NoServerError(errors, `No server of ${variable} could be used: ${reasons}`);
  };
}

/**
 * A network that swallows packets leaves a connection without an answer. `pg`'s own `query_timeout` would leave the
 * statement on the connection, which a transaction then gives back to the pool. The pool closes idle connections sooner.
 */
function closeWhenSilent({ connection }: Client, milliseconds: number): void {
  const stream = connection.stream as Socket;
  stream.setTimeout(milliseconds, () => stream.destroy(new Error('Query read timeout')));
}

function isRefusedSetting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && refusedSettings.has(String(error.code));
}

/** What one server does not let in, the next one does not either. */
function isRefusedLogin(error: Error): boolean {
  return 'code' in error && typeof error.code === 'string' && error.code.startsWith('28');
}
