import { z } from 'zod';
import { bodyLimits, bodyShareBytes } from '../../shared/body-limits.ts';
import { type ProviderName, providerLabels, providerNames } from '../../shared/session.ts';
import { PostgresAddressError, readPostgresAddress } from '../postgres/postgres-address.ts';
import { readRedisNodes, readRedisSentinels, readRedisServer } from '../redis/redis-address.ts';

const integer = (description: string, min: number, max = Number.MAX_SAFE_INTEGER) => {
  const error = `must be ${description}`;
  return z.coerce.number({ error }).int(error).min(min, error).max(max, error);
};

const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
  .transform((address) => new URL(address));
const hasCredentials = ({ username, password }: URL) => username !== '' || password !== '';
const origin = httpUrl
  .refine(
    ({ href, origin }) => href === `${origin}/`,
    'must be an origin such as https://chat.example.com, without a path, query, fragment or credentials',
  )
  .transform(({ origin }) => origin);
/** The service appends a path, which would become part of a query or fragment. */
const baseUrl = httpUrl
  .refine(({ href }) => !/[?#]/.test(href), 'must have no query and no fragment')
  .transform((address) => ({ address, text: address.href.replace(/\/+$/, '') }));
const collectorUrl = baseUrl.transform(({ text }) => text);
/** The clients of the model and of the sign-in providers drop the credentials of an address. */
const serverUrl = baseUrl
  .refine(({ address }) => !hasCredentials(address), 'must have no credentials')
  .transform(({ text }) => text);
/** As for other programs, the scheme is optional. */
const proxyUrl = z
  .string()
  .transform((address) => (address.includes('://') ? address : `http://${address}`))
  .pipe(httpUrl)
  .refine(({ href, pathname }) => pathname === '/' && !/[?#]/.test(href), 'must have no path, query or fragment')
  .transform(({ href }) => href);
const postgresUrl = z.string().superRefine((address, context) => {
  for (const message of addressErrors(address)) context.addIssue({ code: 'custom', message });
});
const redisSchema = <Address>(read: (text: string) => Address | undefined, form: string) =>
  z.string().transform((text, context) => {
    const address = read(text);
    if (address !== undefined) return address;
    context.addIssue({
      code: 'custom',
      message: `must be ${form}, with special characters of a password percent-encoded`,
    });
    return z.NEVER;
  });
const tokens = integer('a whole number of tokens, at least 1', 1);
const port = integer('a port number from 0 to 65535', 0, 65_535);
const milliseconds = integer('a whole number of milliseconds, at least 1', 1, 2 ** 31 - 1);
const trueOrFalse = z.enum(['true', 'false'], 'must be true or false');
const isTrue = (value: 'true' | 'false') => value === 'true';
const isDomain = (text: string) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(text);
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

function addressErrors(address: string): readonly string[] {
  try {
    readPostgresAddress(address);
    return [];
  } catch (error) {
    if (error instanceof PostgresAddressError) return error.problems;
    throw error;
  }
}

/** The documentation of a variable and its rules in production. Text is Markdown, with links relative to `docs`. */
type Setting = {
  description: string;
  /** The effect of leaving it unset, if the schema has no default. */
  ifUnset?: string;
  /** The part that must not be printed. A secret can also be read from the file named by the variable with `_FILE` appended. */
  secret?: 'all' | 'password';
  production?: ProductionRule;
  /** Its section of .env.example: to fill in, set by compose or the image, or for development; undefined means optional. */
  envSection?: 'fill' | 'compose' | 'development';
  /** A value for .env.example, if it is not the default. */
  example?: string;
};

type ProductionRule = { required: string; rejects?: RegExp; must?: string } | { forbidden: string };

const documentation = z.registry<Setting>();

const upperCase = <Name extends string>(name: Name) => name.toUpperCase() as Uppercase<Name>;

export function variablesOf<Name extends ProviderName>(name: Name) {
  const prefix = upperCase(name);
  return {
    clientId: `${prefix}_CLIENT_ID`,
    clientSecret: `${prefix}_CLIENT_SECRET`,
    baseUrl: `${prefix}_BASE_URL`,
  } as const;
}

type ProviderVariables<Part extends string, Schema> = Record<`${Uppercase<ProviderName>}_${Part}`, Schema>;

const providerShape = Object.fromEntries(
  providerNames.flatMap((name) => {
    const { clientId, clientSecret, baseUrl } = variablesOf(name);
    const label = providerLabels[name];
    const signIn = { description: `sign-in with ${label}`, ifUnset: 'emulated', envSection: 'fill' } as const;
    return [
      [clientId, z.string().optional().register(documentation, signIn)],
      [
        clientSecret,
        z
          .string()
          .optional()
          .register(documentation, { ...signIn, secret: 'all' }),
      ],
      [
        baseUrl,
        serverUrl.optional().register(documentation, {
          description: `the address of an emulator of ${label}; not allowed in production`,
          ifUnset: `${label} itself`,
          production: { forbidden: 'points sign-in at an emulator' },
          envSection: 'development',
        }),
      ],
    ];
  }),
) as ProviderVariables<'CLIENT_ID' | 'CLIENT_SECRET', z.ZodOptional<z.ZodString>> &
  ProviderVariables<'BASE_URL', z.ZodOptional<typeof serverUrl>>;

export type ProviderVariable = keyof typeof providerShape;

export const environmentSchema = z.object({
  NODE_ENV: z
    .enum(['development', 'test', 'production'], 'must be development, test or production')
    .default('development')
    .register(documentation, {
      description: '`production` disables every embedded part and enables the strict checks',
      envSection: 'compose',
      example: 'production',
    }),
  HOST: z.string().default('127.0.0.1').register(documentation, {
    description: 'the address to listen on; plain HTTP from other machines is rejected',
    envSection: 'compose',
    example: '0.0.0.0',
  }),
  PORT: port
    .default(3000)
    .register(documentation, { envSection: 'compose', description: 'the port to listen on; 0 selects a free one' }),
  PUBLIC_URL: origin.optional().register(documentation, {
    description: 'the address that users open; sign-in callbacks and cookie rules derive from it',
    ifUnset: 'http://localhost:PORT',
    production: { required: 'the https:// address that users open', rejects: /^http:/, must: 'be an https:// address' },
    envSection: 'fill',
  }),
  DATABASE_URL: postgresUrl.optional().register(documentation, {
    description:
      "`postgresql://…`, PostgreSQL 15 or newer; supports [several hosts and libpq's parameters](database.md#address), such as those for TLS",
    ifUnset: 'the embedded database',
    secret: 'password',
    production: { required: 'a PostgreSQL server' },
    envSection: 'compose',
    example: 'postgresql://user:password@host:5432/database?sslmode=verify-full&sslrootcert=/etc/ca.pem',
  }),
  DATABASE_MIGRATION_URL: postgresUrl.optional().register(documentation, {
    description: "the database owner's login, used only for migrations, the operator's commands and the self-check",
    ifUnset: '`DATABASE_URL`',
    secret: 'password',
    envSection: 'compose',
    example: 'postgresql://owner:password@host:5432/database',
  }),
  DATABASE_POOL: integer('a whole number of connections, at least 1', 1).default(10).register(documentation, {
    description: 'maximum number of [connections](database.md#connections) of one process to PostgreSQL',
  }),
  MIGRATE: trueOrFalse.default('true').transform(isTrue).register(documentation, {
    description:
      '`true`: migrate the schema at startup; `false`: run [`npm run migrate`](database.md#migrations) first, because startup fails if the schema is too old',
    envSection: 'compose',
  }),
  DATA_DIR: z.string().default('.data').register(documentation, {
    description: 'the directory of the embedded database and the generated session secret',
    envSection: 'development',
  }),
  REDIS_URL: redisSchema(readRedisServer, 'a redis:// or rediss:// address such as redis://user:password@host:6379')
    .optional()
    .register(documentation, {
      description: '`redis://…` or `rediss://…`, for rate-limit counts that all instances share',
      ifUnset: 'counts in the process',
      secret: 'password',
      envSection: 'compose',
      example: 'redis://host:6379',
    }),
  REDIS_SENTINELS: redisSchema(readRedisSentinels, 'a list of addresses such as one:26379,other:26379')
    .optional()
    .register(documentation, {
      description: 'instead of `REDIS_URL`: [Sentinels](database.md#sentinel-and-cluster) as `host:port,host:port`',
      secret: 'password',
      envSection: 'compose',
      example: 'one:26379,other:26379',
    }),
  REDIS_SENTINEL_NAME: z.string().optional().register(documentation, {
    description: 'the name of the master that the Sentinels monitor',
    envSection: 'compose',
    example: 'mymaster',
  }),
  REDIS_CLUSTER: redisSchema(readRedisNodes, 'a list of addresses such as one:6379,other:6379')
    .optional()
    .register(documentation, {
      description:
        'instead of `REDIS_URL`: some nodes of a [cluster](database.md#sentinel-and-cluster) as `host:port,host:port`',
      secret: 'password',
      envSection: 'compose',
      example: 'rediss://user:password@one:6379,other:6379',
    }),
  SESSION_SECRET: z
    .string()
    .transform((list) => list.split(',').map((secret) => secret.trim()) as [string, ...string[]])
    .refine(
      (secrets) => secrets.every((secret) => secret.length >= 32),
      'must have at least 32 characters in each secret',
    )
    .optional()
    .register(documentation, {
      description:
        'at least 32 random characters (`openssl rand -hex 32`); to [rotate](security.md#rotate-a-secret), a comma-separated list: the first signs, all verify',
      ifUnset: 'generated once, stored in `DATA_DIR`',
      secret: 'all',
      production: { required: 'at least 32 random characters' },
      envSection: 'fill',
    }),
  // A key with a character that a header cannot carry would fail every reply.
  ANTHROPIC_API_KEY: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]+$/, 'must contain only printable ASCII characters and no spaces')
    .optional()
    .register(documentation, {
      description: "the model provider's API key",
      ifUnset: 'the offline model, or no key for `ANTHROPIC_BASE_URL`',
      secret: 'all',
      envSection: 'fill',
    }),
  ANTHROPIC_BASE_URL: serverUrl.optional().register(documentation, {
    description: 'the base URL of a server that is compatible with the Anthropic API, without `/v1`',
    ifUnset: 'the Anthropic API',
    example: 'http://localhost:11434',
  }),
  ANTHROPIC_MODEL: z
    .string()
    .default('claude-sonnet-5-5')
    .register(documentation, { description: 'the name of the model' }),
  TOKENS_PER_DAY_USER: tokens.optional().register(documentation, {
    description: 'token budget of one user in any 24 hours',
    ifUnset: 'no budget',
    example: '2000000',
  }),
  TOKENS_PER_DAY_ORGANIZATION: tokens.optional().register(documentation, {
    description: 'token budget of one organization in any 24 hours',
    ifUnset: 'no budget',
    example: '20000000',
  }),
  TOKENS_PER_DAY_DEMO: tokens.optional().register(documentation, {
    description: 'token budget of demo chat, all visitors together, in any 24 hours',
    ifUnset: 'no budget',
    example: '5000000',
  }),
  SIGN_UP: z.enum(['open', 'invited'], 'must be open or invited').optional().register(documentation, {
    description:
      'who can sign up: with `open`, anyone; with `invited`, people with an invitation or an address in `SIGN_UP_DOMAINS`',
    ifUnset: '`open`; in production `invited`',
    example: 'invited',
  }),
  SIGN_UP_DOMAINS: z
    .string()
    .transform((list) => list.split(',').map((domain) => domain.trim().toLowerCase()))
    .refine((domains) => domains.every(isDomain), 'must be a comma-separated list of domains such as example.com')
    .optional()
    .register(documentation, {
      description:
        'comma-separated domains; people with a verified email address in one of them can sign up without an invitation',
      ifUnset: 'none',
      example: 'example.com,example.org',
    }),
  ...providerShape,
  // `common` and `organizations` match accounts of many directories, and `consumers` matches personal accounts.
  MICROSOFT_TENANT: z
    .string()
    .regex(/^(?!(?:common|organizations|consumers)$)[\w-]+(\.[\w-]+)*$/i, "must be one directory's id or domain")
    .optional()
    .register(documentation, {
      description:
        'the id or domain of the only Microsoft directory whose accounts can sign in; its email addresses count as verified',
      ifUnset: 'any directory; addresses never count as verified',
    }),
  TRUST_PROXY: trueOrFalse
    .default('false')
    .transform(isTrue)
    .register(documentation, {
      description: '`true`: a [proxy](operations.md#the-proxy) in front terminates TLS and sets `X-Forwarded-Proto`',
      production: { required: 'true, because a proxy must terminate TLS', rejects: /^false$/, must: 'be true' },
      envSection: 'compose',
      example: 'true',
    }),
  MODEL_IDLE_TIMEOUT_MS: milliseconds.default(60_000).register(documentation, {
    description: 'how long the provider can send nothing, not even a ping, before a turn fails',
  }),
  SHUTDOWN_DELAY_MS: integer('a whole number of milliseconds', 0, 2 ** 31 - 1)
    .default(0)
    .register(documentation, {
      description: 'how long the process keeps serving after SIGTERM while `/readyz` returns 503',
    }),
  SHUTDOWN_GRACE_MS: milliseconds.default(30_000).register(documentation, {
    description: 'how long replies in progress can take to finish after `SHUTDOWN_DELAY_MS`',
  }),
  MAX_BODY_BYTES: integer(`a whole number of bytes, from 1 to ${bodyShareBytes}`, 1, bodyShareBytes)
    .default(bodyLimits.liveChat)
    .register(documentation, {
      description:
        'maximum size of a request body, before and after decompression; some routes have a [smaller one](#bounds)',
    }),
  MAX_STREAMS: integer('a whole number, at least 1', 1).default(5_000).register(documentation, {
    description: 'maximum number of turns in progress in one process, on both routes together',
  }),
  RETAIN_DAYS: integer('a whole number of days, from 1 to 36500', 1, 36_500).optional().register(documentation, {
    description: 'conversations are [deleted](security.md#what-is-stored) this many days after their last message',
    ifUnset: 'kept forever',
    example: '365',
  }),
  METRICS_HOST: z.string().default('127.0.0.1').register(documentation, {
    description: 'the listen address of [metrics](operations.md#metrics) and [status](operations.md#health)',
    envSection: 'compose',
  }),
  METRICS_PORT: port.optional().register(documentation, {
    description: 'the port for metrics and status, over plain HTTP; 0 selects a free one',
    ifUnset: 'no metrics and no status',
    example: '9464',
    envSection: 'compose',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl.optional().register(documentation, {
    description: 'the OpenTelemetry collector that receives [traces](operations.md#traces) over OTLP/HTTP',
    ifUnset: 'no traces',
    example: 'http://collector:4318',
  }),
  HTTPS_PROXY: proxyUrl.optional().register(documentation, {
    description: 'the [proxy](#a-proxy-for-outgoing-requests) for requests to https:// addresses',
    ifUnset: 'direct connections',
    secret: 'password',
    example: 'http://user:password@proxy:3128',
  }),
  HTTP_PROXY: proxyUrl.optional().register(documentation, {
    description: 'the proxy for requests to http:// addresses',
    ifUnset: 'direct connections',
    secret: 'password',
    example: 'http://user:password@proxy:3128',
  }),
  NO_PROXY: z
    .string()
    .default('')
    .transform((list) =>
      list
        .toLowerCase()
        .split(/[,\s]+/)
        .filter((host) => host !== ''),
    )
    .register(documentation, {
      description:
        'the hosts that are requested without the proxy: `example.com` (and its subdomains), `host:port`, `10.0.0.0/8` or `*`',
      ifUnset: 'none',
      example: 'example.com,10.0.0.0/8',
    }),
  LOG_LEVEL: z
    .enum(logLevels, `must be one of ${logLevels.join(', ')}`)
    .default('info')
    .register(documentation, { description: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`' }),
});

export type VariableName = keyof typeof environmentSchema.shape;
export type Environment = z.infer<typeof environmentSchema>;
export type Variables = Partial<Record<VariableName, string>>;

export const settings = names(environmentSchema.shape).map((name) => {
  const setting = documentation.get(environmentSchema.shape[name]);
  if (setting === undefined) throw new Error(`${name} has no documentation.`);
  return { name, default: environmentSchema.shape[name].safeParse(undefined).data, ...setting };
});

export const secretNames = settings.filter(({ secret }) => secret !== undefined).map(({ name }) => name);

function names<Name extends string>(shape: Record<Name, unknown>): Name[] {
  return Object.keys(shape) as Name[];
}
