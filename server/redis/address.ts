/** Some of the servers of one installation of Redis, and how to log in to it. */
export type RedisServers = {
  /** At least one. */
  hosts: readonly { host: string; port: number }[];
  tls: boolean;
  username: string | undefined;
  password: string | undefined;
};

/** Sentinels, and what Redis itself and they are told. */
export type RedisSentinels = RedisServers & {
  /** The number of the database. */
  database: number;
  sentinelUsername: string | undefined;
  sentinelPassword: string | undefined;
};

/** Where Redis is: one server, the master that Sentinels name, or a cluster. */
export type RedisAddress =
  | { kind: 'server'; url: string }
  | { kind: 'sentinel'; sentinels: RedisSentinels; name: string }
  | { kind: 'cluster'; nodes: RedisServers };

const form = /^(?:(rediss?):\/\/)?(?:([^@/?#]*)@)?([^@/?#]+)(?:\/(\d{1,9})?)?(?:\?([^#]*))?$/;
const hostForm = /^(?:\[([^\]]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/;
const sentinelParameters = ['sentinel_username', 'sentinel_password'];

/** Reads `host:port,host:port`, or `rediss://user:password@host:port,host:port`. Undefined where it has another form. */
export function readRedisNodes(text: string): RedisServers | undefined {
  const read = readServers(text, 6379);
  if (read === undefined || read.database !== undefined || read.parameters.size > 0) return undefined;
  return read.servers;
}

/**
 * Reads the same of Sentinels, after which `/2` may name the database, and `?sentinel_password=…` their own login. The one
 * before the hosts is for Redis. Undefined where it has another form.
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

function readServers(text: string, usualPort: number) {
  const [, protocol, login = '', list, database, query = ''] = form.exec(text) ?? [];
  const hosts = list?.split(',').map((server) => readHost(server.trim(), usualPort));
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
    // A percent sign that encodes nothing.
    return undefined;
  }
}

function readHost(text: string, usualPort: number) {
  const [whole, bracketed, name, digits] = hostForm.exec(text) ?? [];
  const host = bracketed ?? name;
  const port = Number(digits ?? usualPort);
  return whole === undefined || host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}

/** Not by `URLSearchParams`, which takes a plus for a space. */
function readParameters(query: string): Map<string, string> {
  const pairs = query.split('&').filter((pair) => pair !== '');
  return new Map(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [decodeURIComponent(name), decodeURIComponent(value.join('='))];
    }),
  );
}
