import { z } from 'zod';
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

/** Checks each variable by itself. docs/configuration.md says what each means. */
export const environmentSchema = z.object({
  NODE_ENV: z
    .enum(['development', 'test', 'production'], 'must be development, test or production')
    .default('development'),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(3000),
  PUBLIC_URL: httpUrl.optional(),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_MIGRATION_URL: postgresUrl.optional(),
  DATABASE_POOL: integer('a whole number of connections, at least 1', 1).default(10),
  MIGRATE: trueOrFalse.default('true').transform(isTrue),
  DATA_DIR: z.string().default('.data'),
  REDIS_URL: url(/^rediss?$/, 'a redis:// or rediss:// address').optional(),
  REDIS_SENTINELS: redisServers(readRedisSentinels, 'one:26379,other:26379').optional(),
  REDIS_SENTINEL_NAME: z.string().optional(),
  REDIS_CLUSTER: redisServers(readRedisNodes, 'one:6379,other:6379').optional(),
  SESSION_SECRET: z
    .string()
    .transform((list) => list.split(',').map((secret) => secret.trim()))
    .refine(
      (secrets) => secrets.every((secret) => secret.length >= 32),
      'must have at least 32 characters in each secret',
    )
    .optional(),
  // What no header can carry would fail every reply, with the key in the error that is logged.
  ANTHROPIC_API_KEY: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]+$/, 'must have printable ASCII characters only, and no spaces')
    .optional(),
  ANTHROPIC_BASE_URL: httpUrl.optional(),
  ANTHROPIC_MODEL: z.string().default('claude-sonnet-5-5'),
  TOKENS_PER_DAY_USER: tokens.optional(),
  TOKENS_PER_DAY_ORGANIZATION: tokens.optional(),
  TOKENS_PER_DAY_DEMO: tokens.optional(),
  SIGN_UP: z.enum(['open', 'invited'], 'must be open or invited').optional(),
  SIGN_UP_DOMAINS: z
    .string()
    .transform((list) => list.split(',').map((domain) => domain.trim().toLowerCase()))
    .refine(
      (domains) => domains.every(isDomain),
      'must be a list of domains such as example.com, with commas between them',
    )
    .optional(),
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_CLIENT_SECRET: z.string().optional(),
  GOOGLE_BASE_URL: httpUrl.optional(),
  GITHUB_CLIENT_ID: z.string().optional(),
  GITHUB_CLIENT_SECRET: z.string().optional(),
  GITHUB_BASE_URL: httpUrl.optional(),
  MICROSOFT_CLIENT_ID: z.string().optional(),
  MICROSOFT_CLIENT_SECRET: z.string().optional(),
  MICROSOFT_BASE_URL: httpUrl.optional(),
  // `common` and its like stand for every directory that there is.
  MICROSOFT_TENANT: z
    .string()
    .regex(/^(?!(?:common|organizations|consumers)$)[\w-]+(\.[\w-]+)*$/i, "must be one directory's id or domain")
    .optional(),
  TLS_CERT_FILE: z.string().optional(),
  TLS_KEY_FILE: z.string().optional(),
  TRUST_PROXY: trueOrFalse.default('false').transform(isTrue),
  MODEL_IDLE_TIMEOUT_MS: milliseconds.default(60_000),
  SHUTDOWN_DELAY_MS: integer('a whole number of milliseconds', 0, 2 ** 31 - 1).default(0),
  SHUTDOWN_GRACE_MS: milliseconds.default(30_000),
  MAX_BODY_BYTES: integer('a whole number of bytes, at least 1', 1).default(1_048_576),
  MAX_MESSAGES: count.default(2_000),
  MAX_STREAMS: count.default(5_000),
  MAX_STREAMS_PER_USER: count.default(60),
  MAX_STREAMS_DEMO: count.optional(),
  RETAIN_DAYS: integer('a whole number of days, from 1 to 36500', 1, 36_500).optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
});

export type Environment = z.infer<typeof environmentSchema>;
export type Variables = Partial<Record<keyof Environment, string>>;
