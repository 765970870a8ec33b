import { z } from 'zod';
import { type ProviderName, providerLabels, providerNames } from '../../shared/session.ts';
import { PostgresAddressError, readPostgresAddress } from '../postgres/address.ts';
import { readRedisNodes, readRedisSentinels } from '../redis/address.ts';

const integer = (what: string, least: number, most = Number.MAX_SAFE_INTEGER) => {
  const error = `must be ${what}`;
  return z.coerce.number({ error }).int(error).min(least, error).max(most, error);
};
const url = (protocol: RegExp, what: string) => z.url({ protocol, error: `must be ${what}` });

const httpUrl = url(/^https?$/, 'an http:// or https:// address').transform((address) => address.replace(/\/+$/, ''));
const postgresUrl = z.string().superRefine((address, context) => {
  for (const message of complaintsAbout(address)) context.addIssue({ code: 'custom', message });
});
const redisServers = <Servers>(read: (text: string) => Servers | undefined, example: string) =>
  z.string().transform((text, context) => {
    const servers = read(text);
    if (servers !== undefined) return servers;
    context.addIssue({ code: 'custom', message: `must be a list of addresses such as ${example}` });
    return z.NEVER;
  });
const tokens = integer('a whole number of tokens, at least 1', 1);
const port = integer('a port number from 0 to 65535', 0, 65_535);
const milliseconds = integer('a whole number of milliseconds, at least 1', 1, 2 ** 31 - 1);
const trueOrFalse = z.enum(['true', 'false'], 'must be true or false');
const isTrue = (value: 'true' | 'false') => value === 'true';
const count = integer('a whole number, at least 1', 1);
const isDomain = (text: string) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(text);
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

function complaintsAbout(address: string): readonly string[] {
  try {
    readPostgresAddress(address);
    return [];
  } catch (error) {
    if (error instanceof PostgresAddressError) return error.complaints;
    throw error;
  }
}

/** What is said of a variable beside its check. Text is Markdown, with links as from `docs`. */
type Setting = {
  description: string;
  /** What holds where it is not set, if the schema has no default. */
  without?: string;
  /** What of it must not be printed. It may be given in a file as well, by the name with `_FILE` appended. */
  secret?: 'all' | 'password';
  /** What production asks of it by itself. */
  production?: Production;
  /** How .env.example has it: to be filled in, set by compose or the image, or for development; undefined, optional. */
  env?: 'fill' | 'compose' | 'development';
  /** A value for .env.example, if it is not the default. */
  example?: string;
};

type Production = { needed: string; refuses?: RegExp; must?: string } | { refused: string };

const about = z.registry<Setting>();

const upperCase = <Name extends string>(name: Name) => name.toUpperCase() as Uppercase<Name>;

/** The names of a provider's variables. */
export function variablesOf<Name extends ProviderName>(name: Name) {
  const prefix = upperCase(name);
  return {
    clientId: `${prefix}_CLIENT_ID`,
    clientSecret: `${prefix}_CLIENT_SECRET`,
    baseUrl: `${prefix}_BASE_URL`,
  } as const;
}

type OfProviders<Part extends string, Schema> = Record<`${Uppercase<ProviderName>}_${Part}`, Schema>;

/** Three variables for each provider; they follow from its name. */
const providerShape = Object.fromEntries(
  providerNames.flatMap((name) => {
    const { clientId, clientSecret, baseUrl } = variablesOf(name);
    const label = providerLabels[name];
    const signIn = { description: `sign-in with ${label}`, without: 'emulated', env: 'fill' } as const;
    return [
      [clientId, z.string().optional().register(about, signIn)],
      [
        clientSecret,
        z
          .string()
          .optional()
          .register(about, { ...signIn, secret: 'all' }),
      ],
      [
        baseUrl,
        httpUrl.optional().register(about, {
          description: `an emulator's address in place of ${label}; refused in production`,
          without: `${label} itself`,
          production: { refused: 'points sign-in at an emulator' },
          env: 'development',
        }),
      ],
    ];
  }),
) as OfProviders<'CLIENT_ID' | 'CLIENT_SECRET', z.ZodOptional<z.ZodString>> &
  OfProviders<'BASE_URL', z.ZodOptional<typeof httpUrl>>;

/** Each variable with its check, its default and what there is to say of it. */
export const environmentSchema = z.object({
  NODE_ENV: z
    .enum(['development', 'test', 'production'], 'must be development, test or production')
    .default('development')
    .register(about, {
      description: '`production` switches every embedded part off and the strict checks on',
      env: 'compose',
      example: 'production',
    }),
  HOST: z.string().default('127.0.0.1').register(about, {
    description: 'the address to listen on; plain HTTP from other machines is refused',
    env: 'compose',
    example: '0.0.0.0',
  }),
  PORT: port
    .default(3000)
    .register(about, { env: 'compose', description: 'the port to listen on; 0 takes a free one' }),
  PUBLIC_URL: httpUrl.optional().register(about, {
    description: 'the address that people use; sign-in callbacks and cookie rules derive from it',
    without: 'http://localhost with the port',
    production: { needed: 'the https:// address that people use', refuses: /^http:/, must: 'be an https:// address' },
    env: 'fill',
  }),
  DATABASE_URL: postgresUrl.optional().register(about, {
    description:
      "`postgresql://…`, PostgreSQL 15 or newer; with [several servers and libpq's parameters](database.md#address) for TLS and more",
    without: 'the embedded database',
    secret: 'password',
    production: { needed: 'a PostgreSQL server' },
    env: 'compose',
    example: 'postgresql://user:password@host:5432/database?sslmode=verify-full&sslrootcert=/etc/ca.pem',
  }),
  DATABASE_MIGRATION_URL: postgresUrl.optional().register(about, {
    description: "the address of the database's owner, for migrations and the operator's commands alone",
    without: '`DATABASE_URL`',
    secret: 'password',
    env: 'compose',
    example: 'postgresql://owner:password@host:5432/database',
  }),
  DATABASE_POOL: integer('a whole number of connections, at least 1', 1)
    .default(10)
    .register(about, { description: 'the most [connections](database.md#connections) to PostgreSQL of one process' }),
  MIGRATE: trueOrFalse.default('true').transform(isTrue).register(about, {
    description:
      '`false`: the start does not change the schema, and refuses one that is too old ([`npm run migrate`](database.md#migrations) does it)',
    env: 'compose',
  }),
  DATA_DIR: z.string().default('.data').register(about, {
    description: 'where the embedded database and the session secret are kept',
    env: 'development',
  }),
  REDIS_URL: url(/^rediss?$/, 'a redis:// or rediss:// address')
    .optional()
    .register(about, {
      description: '`redis://…` or `rediss://…`: rate-limit counts that instances share',
      without: 'counted in the process',
      secret: 'password',
      env: 'compose',
      example: 'redis://host:6379',
    }),
  REDIS_SENTINELS: redisServers(readRedisSentinels, 'one:26379,other:26379').optional().register(about, {
    description: 'in its place, [Sentinels](database.md#sentinel-and-cluster) as `host:port,host:port`',
    secret: 'password',
    env: 'compose',
    example: 'one:26379,other:26379',
  }),
  REDIS_SENTINEL_NAME: z.string().optional().register(about, {
    description: 'the name of the master that the Sentinels watch',
    env: 'compose',
    example: 'mymaster',
  }),
  REDIS_CLUSTER: redisServers(readRedisNodes, 'one:6379,other:6379').optional().register(about, {
    description: 'in its place, some nodes of a [cluster](database.md#sentinel-and-cluster) as `host:port,host:port`',
    secret: 'password',
    env: 'compose',
    example: 'rediss://user:password@one:6379,other:6379',
  }),
  SESSION_SECRET: z
    .string()
    .transform((list) => list.split(',').map((secret) => secret.trim()))
    .refine(
      (secrets) => secrets.every((secret) => secret.length >= 32),
      'must have at least 32 characters in each secret',
    )
    .optional()
    .register(about, {
      description:
        'at least 32 random characters (`openssl rand -hex 32`); a list with commas rotates: the first signs, all verify',
      without: 'made once, kept in `DATA_DIR`',
      secret: 'all',
      production: { needed: 'at least 32 random characters' },
      env: 'fill',
    }),
  // What no header can carry would fail every reply, with the key in the error that is logged.
  ANTHROPIC_API_KEY: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]+$/, 'must have printable ASCII characters only, and no spaces')
    .optional()
    .register(about, {
      description: "the model provider's key",
      without: 'the offline model, or no key for `ANTHROPIC_BASE_URL`',
      secret: 'all',
      env: 'fill',
    }),
  ANTHROPIC_BASE_URL: httpUrl.optional().register(about, {
    description: 'the address of a compatible server, without `/v1`',
    without: 'the Anthropic API',
    example: 'http://localhost:11434',
  }),
  ANTHROPIC_MODEL: z.string().default('claude-sonnet-5-5').register(about, { description: "the model's name" }),
  TOKENS_PER_DAY_USER: tokens.optional().register(about, {
    description: 'the most tokens in any 24 hours of one person',
    without: 'no budget',
    example: '2000000',
  }),
  TOKENS_PER_DAY_ORGANIZATION: tokens.optional().register(about, {
    description: 'the most tokens in any 24 hours of one organization',
    without: 'no budget',
    example: '20000000',
  }),
  TOKENS_PER_DAY_DEMO: tokens.optional().register(about, {
    description: 'the most tokens in any 24 hours of all of demo chat',
    without: 'no budget',
    example: '5000000',
  }),
  SIGN_UP: z.enum(['open', 'invited'], 'must be open or invited').optional().register(about, {
    description:
      'who may sign up: `open`, anybody; `invited`, who holds an invitation or an address in `SIGN_UP_DOMAINS`',
    without: '`open`; in production `invited`',
    example: 'invited',
  }),
  SIGN_UP_DOMAINS: z
    .string()
    .transform((list) => list.split(',').map((domain) => domain.trim().toLowerCase()))
    .refine(
      (domains) => domains.every(isDomain),
      'must be a list of domains such as example.com, with commas between them',
    )
    .optional()
    .register(about, {
      description:
        'domains separated by commas: people with a verified address there may sign up without an invitation',
      without: 'none',
      example: 'example.com,example.org',
    }),
  ...providerShape,
  // `common` and its like stand for every directory that there is.
  MICROSOFT_TENANT: z
    .string()
    .regex(/^(?!(?:common|organizations|consumers)$)[\w-]+(\.[\w-]+)*$/i, "must be one directory's id or domain")
    .optional()
    .register(about, {
      description:
        'the id or domain of the one Microsoft directory whose accounts may sign in, and whose addresses are believed',
      without: 'any directory, believed never',
    }),
  TLS_CERT_FILE: z.string().optional().register(about, {
    description:
      'a PEM file with the certificate: the process ends TLS itself, and [follows](operations.md#systemd) when it is renewed',
    without: 'plain HTTP',
    env: 'compose',
    example: '/etc/tls/fullchain.pem',
  }),
  TLS_KEY_FILE: z.string().optional().register(about, {
    description: 'a PEM file with the key of that certificate',
    without: 'plain HTTP',
    env: 'compose',
    example: '/etc/tls/privkey.pem',
  }),
  TRUST_PROXY: trueOrFalse.default('false').transform(isTrue).register(about, {
    description: '`true`: a proxy in front ends TLS and sets `X-Forwarded-Proto`',
    env: 'compose',
    example: 'true',
  }),
  MODEL_IDLE_TIMEOUT_MS: milliseconds
    .default(60_000)
    .register(about, { description: 'the longest silence from the provider, pings included, before a turn fails' }),
  SHUTDOWN_DELAY_MS: integer('a whole number of milliseconds', 0, 2 ** 31 - 1)
    .default(0)
    .register(about, { description: 'how long the process serves on after SIGTERM while `/readyz` is 503 already' }),
  SHUTDOWN_GRACE_MS: milliseconds
    .default(30_000)
    .register(about, { description: 'how long running replies may finish after that' }),
  MAX_BODY_BYTES: integer('a whole number of bytes, at least 1', 1)
    .default(1_048_576)
    .register(about, { description: 'the largest request body, after inflating' }),
  MAX_MESSAGES: count.default(2_000).register(about, {
    description: 'the most elements of `messages`, and the most content blocks in all of them together',
  }),
  MAX_STREAMS: count
    .default(5_000)
    .register(about, { description: 'how many turns may be under way at once, on both routes together' }),
  MAX_STREAMS_PER_USER: count
    .default(60)
    .register(about, { description: 'how many turns of one person may be under way at once' }),
  MAX_STREAMS_DEMO: count.optional().register(about, {
    description: 'how many turns of demo chat may be under way at once',
    without: 'half of `MAX_STREAMS`',
    example: '2500',
  }),
  RETAIN_DAYS: integer('a whole number of days, from 1 to 36500', 1, 36_500).optional().register(about, {
    description: 'conversations whose last message is so many days old are [deleted](security.md#what-is-stored)',
    without: 'kept for ever',
    example: '365',
  }),
  METRICS_HOST: z.string().default('127.0.0.1').register(about, {
    description: 'the address to serve [metrics](operations.md#metrics) and [status](operations.md#health) on',
    env: 'compose',
  }),
  METRICS_PORT: port.optional().register(about, {
    description: 'the port to serve them on, by plain HTTP; 0 takes a free one',
    without: 'no metrics',
    example: '9464',
    env: 'compose',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional().register(about, {
    description: 'the OpenTelemetry collector that [traces](operations.md#traces) are sent to, by OTLP over HTTP',
    without: 'no traces',
    example: 'http://collector:4318',
  }),
  LOG_LEVEL: z
    .enum(logLevels, `must be one of ${logLevels.join(', ')}`)
    .default('info')
    .register(about, { description: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`' }),
});

export type VariableName = keyof typeof environmentSchema.shape;
export type Environment = z.infer<typeof environmentSchema>;
export type Variables = Partial<Record<VariableName, string>>;

/** Every variable as data, in the order of the schema; `default` is undefined where there is none. */
export const settings = names(environmentSchema.shape).map((name) => {
  const setting = about.get(environmentSchema.shape[name]);
  if (setting === undefined) throw new Error(`Nothing is said of ${name}.`);
  return { name, default: environmentSchema.shape[name].safeParse(undefined).data, ...setting };
});

/** What each may be given in a file as well, by the name with `_FILE` appended. */
export const secretNames = settings.filter(({ secret }) => secret !== undefined).map(({ name }) => name);

function names<Name extends string>(shape: Record<Name, unknown>): Name[] {
  return Object.keys(shape) as Name[];
}
