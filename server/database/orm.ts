import { type EntityManager as AnyEntityManager, MikroORM, type Options } from '@mikro-orm/core';
import { type AbstractSqlDriver, PostgreSqlDriver, type SqlEntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { createConnect, maxConnectMilliseconds } from '../postgres/connect.ts';
import { createPooledClient } from '../postgres/pooled-client.ts';
import { readPostgresAddress } from '../postgres/postgres-address.ts';
import {
  AuditEvent,
  BlockedAccount,
  ChatMessage,
  Conversation,
  EngagementState,
  Identity,
  Invitation,
  Membership,
  MemberTokenSum,
  Organization,
  OrganizationTokenSum,
  Session,
  TokenUse,
  User,
} from './entities.ts';

export type PostgreSqlSettings = {
  kind: 'postgresql';
  url: string;
  /** The owner's login, for migrations and operator commands. Defaults to `url`. */
  ownerUrl?: string | undefined;
  pool?: number | undefined;
  /** The environment variable with `url`, for error messages. */
  variable?: string;
};

export type DatabaseSettings = PostgreSqlSettings | { kind: 'embedded'; directory: string };

export function asOwner(settings: DatabaseSettings): DatabaseSettings {
  if (settings.kind === 'embedded') return settings;
  const { url, ownerUrl = url } = settings;
  const variable = ownerUrl === url ? 'DATABASE_URL' : 'DATABASE_MIGRATION_URL';
  // Omits `pool`, because migrating needs a second connection.
  return { kind: 'postgresql', url: ownerUrl, variable };
}

export type EntityManager = SqlEntityManager<AbstractSqlDriver> & AnyEntityManager<AbstractSqlDriver>;
export type Orm = MikroORM<AbstractSqlDriver, EntityManager>;

type TimeLimit = {
  /** The server cancels statements that take longer than this. */
  statementMilliseconds?: number;
};

export const requestTimeLimit = { statementMilliseconds: 10_000 } satisfies TimeLimit;

/** For migrations and operator commands, because no request waits for them. */
export const noTimeLimit: TimeLimit = {};

/** Connections are replaced at this age, because TCP takes 15 minutes to detect a server that disappeared silently. */
const maxConnectionAgeSeconds = 60;

export function ormOptions(logger: Logger) {
  return {
    entities: [
      Organization,
      User,
      Membership,
      Identity,
      Conversation,
      ChatMessage,
      EngagementState,
      Session,
      Invitation,
      BlockedAccount,
      AuditEvent,
      TokenUse,
      OrganizationTokenSum,
      MemberTokenSum,
    ],
    colors: false,
    debug: false,
    logger: (message: string) => logger.debug({ component: 'database' }, message),
  } satisfies Partial<Options>;
}

export async function openOrm(
  settings: DatabaseSettings,
  logger: Logger,
  { statementMilliseconds }: TimeLimit = requestTimeLimit,
): Promise<Orm> {
  const shared = ormOptions(logger);
  if (settings.kind === 'postgresql') {
    const { url, pool = 10, variable = 'DATABASE_URL' } = settings;
    const address = readPostgresAddress(url);
    const driverOptions = {
      Client: createPooledClient(createConnect(address, { variable, statementMilliseconds })),
      max: pool,
      // This also bounds how long a request waits for a connection while all are in use.
      connectionTimeoutMillis: maxConnectMilliseconds(address),
      maxLifetimeSeconds: maxConnectionAgeSeconds,
    };
    // Omits the address, because the ORM supports only one server and drops the parameters.
    return MikroORM.init({ ...shared, driver: PostgreSqlDriver, dbName: address.database, driverOptions });
  }
  const { PgliteDriver } = await import('@mikro-orm/pglite');
  return MikroORM.init({ ...shared, driver: PgliteDriver, dbName: settings.directory });
}
