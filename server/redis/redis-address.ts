export type RedisServers = {
  /** At least one. */
  hosts: readonly { host: string; port: number }[];
  tls: boolean;
  username: string | undefined;
  password: string | undefined;
};

/** The inherited `username` and `password` are for Redis. The Sentinels have credentials of their own. */
type RedisSentinels = RedisServers & {
  database: number;
  sentinelUsername: string | undefined;
  sentinelPassword: string | undefined;
};

type RedisServer = Omit<RedisServers, 'hosts'> & RedisServers['hosts'][number] & { database: number };

export type RedisAddress =
  | { kind: 'server'; server: RedisServer }
  | { kind: 'sentinel'; sentinels: RedisSentinels; name: string }
  | { kind: 'cluster'; nodes: RedisServers };

const addressPattern = /^(?:(rediss?):\/\/)?(?:([^@/?#]*)@)?([^@/?#]+)(?:\/(\d{1,9})?)?(?:\?([^#]*))?$/;
const hostPattern = /^(?:\[([^\]]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/;
const sentinelParameters = ['sentinel_username', 'sentinel_password'];

/** Parses `redis://user:password@host:port/2`, or `rediss://…` for TLS. Returns undefined if the text is malformed. */
export function readRedisServer(text: string): RedisServer | undefined {
  const read = readServers(text, 6379);
  if (read === undefined || !/^rediss?:/.test(text) || read.parameters.size > 0) return undefined;
  const { hosts, ...others } = read.servers;
  const [host, ...more] = hosts;
  return host === undefined || more.length > 0
    ? undefined
    : { ...host, ...others, database: Number(read.database ?? 0) };
}

/** Parses `host:port,host:port` or `rediss://user:password@host:port,host:port`. Returns undefined if the text is malformed. */
export function readRedisNodes(text: string): RedisServers | undefined {
  const read = readServers(text, 6379);
  if (read === undefined || read.database !== undefined || read.parameters.size > 0) return undefined;
  return read.servers;
}

/**
 * Parses the same form with an optional database (`/2`) and the Sentinels' own credentials (`?sentinel_password=…`). The
 * credentials before the hosts are for Redis. Returns undefined if the text is malformed.
 */
export function readRedisSentinels(text: string): RedisSentinels | undefined {
  const read = readServers(text, 26379);
  if (read === undefined || [...read.parameters.keys()].some((name) => !sentinelParameters.includes(name))) {
    return undefined;
  }
  return {
    ...read.servers,
    database: Number(read.database ?? 0),
    sentinelUsername: read.parameters.get('sentinel_username'),
    sentinelPassword: read.parameters.get('sentinel_password'),
  };
}

function readServers(text: string, defaultPort: number) {
  const [, protocol, login = '', list, database, query = ''] = addressPattern.exec(text) ?? [];
  const hosts = list?.split(',').map((server) => readHost(server.trim(), defaultPort));
  if (hosts === undefined || !hosts.every((host) => host !== undefined)) return undefined;
  try {
    const [username = '', ...password] = login.split(':');
    return {
      servers: {
        hosts,
        tls: protocol === 'rediss',
        username: decodeURIComponent(username) || undefined,
        password: decodeURIComponent(password.join(':')) || undefined,
      },
      database,
      parameters: readParameters(query),
    };
  } catch {
    // `decodeURIComponent` throws on an invalid percent-encoding.
    return undefined;
  }
}

function readHost(text: string, defaultPort: number) {
  const [match, bracketed, name, digits] = hostPattern.exec(text) ?? [];
  const host = bracketed ?? name;
  const port = Number(digits ?? defaultPort);
  return match === undefined || host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}

/** `URLSearchParams` would decode a plus sign as a space. */
function readParameters(query: string): Map<string, string> {
  const pairs = query.split('&').filter((pair) => pair !== '');
  return new Map(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [decodeURIComponent(name), decodeURIComponent(value.join('='))];
    }),
  );
}
