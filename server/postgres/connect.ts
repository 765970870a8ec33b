import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import { Client, type ClientConfig } from 'pg';
import type { ConnectionParameters, Host, PostgresAddress } from './postgres-address.ts';
import { codeOf, sqlStateClasses, sqlStates } from './sql-states.ts';

/**
 * Returns `pg`'s `ssl` option: undefined if the address has no `sslmode`, false for no encryption. The files are read
 * for each connection, so renewed certificates take effect without a restart.
 * @throws Error that names the parameter of `variable` with the invalid file
 */
async function readTls(
  { sslmode, sslrootcert, sslcert, sslkey }: ConnectionParameters,
  host: string,
  variable: string,
): Promise<ConnectionOptions | false | undefined> {
  if (sslmode === undefined) return undefined;
  // As in libpq, a Unix socket is not encrypted: its traffic never leaves the machine.
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
    // The name to verify in the certificate. By default, Node would verify "localhost" for an IP address.
    host,
    rejectUnauthorized: sslmode !== 'require' || authority !== undefined,
    ...(sslmode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
}

async function readPem(subject: string, path: string | undefined, parse: (pem: string) => unknown) {
  if (path === undefined) return undefined;
  try {
    const pem = await readFile(path, 'utf8');
    parse(pem);
    return pem;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : 'unknown';
    throw new Error(`${subject} is missing, unreadable or not a valid PEM file (${code}).`, { cause });
  }
}

type TargetSession = ConnectionParameters['target_session_attrs'];

type ServerState = { standby: boolean; readOnly: boolean };

/** The meaning of each `target_session_attrs`, by the rules of libpq. */
const matches: Record<TargetSession, (state: ServerState) => boolean> = {
  any: () => true,
  'read-write': ({ standby, readOnly }) => !standby && !readOnly,
  'read-only': ({ standby, readOnly }) => standby || readOnly,
  primary: ({ standby }) => !standby,
  standby: ({ standby }) => standby,
  'prefer-standby': ({ standby }) => standby,
};

/** Returns the targets to try in turn. A later one applies if no server matches those before it. */
function targetsOf(target: TargetSession): readonly TargetSession[] {
  return target === 'prefer-standby' ? [target, 'any'] : [target];
}

/** Returns whether the server matches the target. Takes one round trip, except for `any`. */
async function isMatching(client: Client, target: TargetSession): Promise<boolean> {
  if (target === 'any') return true;
  const { rows } = await client.query<ServerState>(
    `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as "readOnly"`,
  );
  const [state] = rows;
  return state !== undefined && matches[target](state);
}

/** Connects to the first available server that matches `target_session_attrs`. `types` provides the parsers for column values. */
export type Connect = (settings: Pick<ClientConfig, 'types' | 'database'>) => Promise<Client>;

type ConnectOptions = {
  variable: string;
  /** The server cancels statements that take longer. Undefined for no limit. */
  statementMilliseconds?: number | undefined;
};

/** The SQLSTATEs with which a pooler refuses session settings. */
const refusedSettingStates: readonly string[] = [sqlStates.protocolViolation, sqlStates.featureNotSupported];

/** The client waits this much longer than the statement limit before it closes the connection as dead. */
const graceMilliseconds = 1_000;

/** `errors` lists the reason for each attempt. */
class NoServerError extends AggregateError {
  override readonly name = 'NoServerError';
  readonly code = sqlStates.sqlclientUnableToEstablishSqlconnection;
}

/** Limits one round of attempts at all servers, if the address has no `connect_timeout`. */
const totalTimeoutMilliseconds = 5_000;

/** A server that timed out is tried last for this long, so that new connections do not wait for it again. */
const cooldownMilliseconds = 30_000;

const timeoutPerServer = ({ hosts, parameters }: PostgresAddress) =>
  parameters.connect_timeout === undefined
    ? totalTimeoutMilliseconds / hosts.length
    : parameters.connect_timeout * 1000;

export function maxConnectMilliseconds(address: PostgresAddress): number {
  return timeoutPerServer(address) * address.hosts.length * targetsOf(address.parameters.target_session_attrs).length;
}

/**
 * Connects as libpq does: tries the servers in order, each for `connect_timeout` or its default, until one accepts the
 * connection and matches `target_session_attrs`. Unlike libpq, it leaves servers that timed out recently until the end.
 *
 * The statement limit and the isolation level, which the database functions rely on, are session settings. If a pooler refuses
 * them, connections are established without them and the login's own settings apply. In both cases, a connection without a
 * response for longer than the limit is closed.
 */
export function createConnect(address: PostgresAddress, { variable, statementMilliseconds }: ConnectOptions): Connect {
  const { hosts, user, password, parameters } = address;
  const { application_name, options, target_session_attrs } = parameters;
  const login = { user, password, application_name };
  const connectTimeout = timeoutPerServer(address);
  const timedOutAt = new Map<Host, number>();
  // PostgreSQL applies the last of repeated settings, so the address can override the limit but not the isolation level.
  const sessionSettings = [
    ...(statementMilliseconds === undefined ? [] : [`-c statement_timeout=${statementMilliseconds}`]),
    ...(options === undefined ? [] : [options]),
    String.raw`-c default_transaction_isolation=read\ committed`,
  ].join(' ');
  let setsSession = true;

  function hostsInOrder(): Host[] {
    const isCoolingDown = (host: Host) =>
      performance.now() - (timedOutAt.get(host) ?? -Infinity) < cooldownMilliseconds;
    return hosts.toSorted((one, other) => Number(isCoolingDown(one)) - Number(isCoolingDown(other)));
  }

  async function tryServer(host: Host, target: TargetSession, settings: ClientConfig): Promise<Client> {
    const unchanged = { ...settings, options };
    if (!setsSession) return connectTo(host, target, unchanged);
    try {
      return await connectTo(host, target, { ...settings, options: sessionSettings });
    } catch (error) {
      if (!isRefusedSetting(error)) throw error;
      setsSession = false;
      return connectTo(host, target, unchanged);
    }
  }

  async function connectTo(host: Host, target: TargetSession, settings: ClientConfig): Promise<Client> {
    const ssl = await readTls(parameters, host.name, variable);
    const client = new Client({ ...settings, ...login, host: host.name, port: host.port, ssl });
    // The promise rejects with the error. An 'error' event without a listener would end the process.
    client.on('error', () => undefined);
    const timer = setTimeout(() => {
      timedOutAt.set(host, performance.now());
      client.connection.stream.destroy(new Error('timeout expired'));
    }, connectTimeout);
    try {
      await client.connect();
      if (!(await isMatching(client, target)))
        throw new Error(`The server does not match target_session_attrs=${target}.`);
      timedOutAt.delete(host);
      if (statementMilliseconds !== undefined) closeWhenIdle(client, statementMilliseconds + graceMilliseconds);
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
    for (const target of targetsOf(target_session_attrs)) {
      for (const host of hostsInOrder()) {
        try {
          return await tryServer(host, target, settings);
        } catch (error) {
          if (!(error instanceof Error) || isAuthorizationError(error)) throw error;
          errors.push(error);
        }
      }
    }
    const [only] = errors;
    if (errors.length === 1 && target_session_attrs === 'any') throw only;
    const reasons = errors.map(({ message }) => message).join('; ');
    throw new NoServerError(errors, `No server of ${variable} is available: ${reasons}`);
  };
}

/**
 * Detects a network that drops packets. `pg`'s own `query_timeout` would return the connection to the pool while its
 * statement is still running. The pool closes idle connections sooner.
 */
function closeWhenIdle({ connection }: Client, milliseconds: number): void {
  const stream = connection.stream as Socket;
  stream.setTimeout(milliseconds, () => stream.destroy(new Error('Query read timeout')));
}

function isRefusedSetting(error: unknown): boolean {
  return refusedSettingStates.includes(codeOf(error));
}

/** All servers share their logins, so another attempt would fail as well. */
function isAuthorizationError(error: Error): boolean {
  return sqlStateClasses.invalidAuthorization.test(codeOf(error));
}
