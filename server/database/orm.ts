import { type EntityManager as AnyEntityManager, MikroORM, type Options } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { type AbstractSqlDriver, PostgreSqlDriver, type SqlEntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { readPostgresAddress } from '../postgres/address.ts';
import { createConnect, maxConnectMilliseconds } from '../postgres/connect.ts';
import { createPooledClient } from '../postgres/pooled-client.ts';
import {
  AuditEvent,
  BlockedAccount,
  ChatMessage,
  Conversation,
  EngagementState,
  Identity,
  Invitation,
  Membership,
  Organization,
  Session,
  TokenUse,
  User,
} from './entities.ts';
import { migrations } from './migrations.ts';

export type PostgreSqlSettings = {
  kind: 'postgresql';
  url: string;
  /** For migrations and for what crosses organizations; without one, `url` is the owner's. */
  ownerUrl?: string | undefined;
  /** The most connections at once. */
  pool?: number | undefined;
  /** What `url` was read from, for errors. */
  variable?: string;
};

export type DatabaseSettings = PostgreSqlSettings | { kind: 'embedded'; directory: string };

/** The same database, over the login of its owner. */
export function asOwner(settings: DatabaseSettings): DatabaseSettings {
  if (settings.kind === 'embedded') return settings;
  const { url, ownerUrl = url } = settings;
  const variable = ownerUrl === url ? 'DATABASE_URL' : 'DATABASE_MIGRATION_URL';
  // With connections to spare: the migrator needs a second one.
  return { kind: 'postgresql', url: ownerUrl, variable };
}

export type EntityManager = SqlEntityManager<AbstractSqlDriver> & AnyEntityManager<AbstractSqlDriver>;
export type Orm = MikroORM<AbstractSqlDriver, EntityManager>;

type Limits = {
  /** How long a statement may take: longer is a fault, not a delay. */
  statementMilliseconds?: number;
};

export const forRequests = { statementMilliseconds: 10_000 } satisfies Limits;

/** For work that no request waits for. */
export const unhurried: Limits = {};

/** A connection to a server that has vanished without a word looks alive for a quarter of an hour: none gets that old. */
const maxConnectionSeconds = 60;

/** What both drivers share: one entity set, one migration set. */
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
    ],
    extensions: [Migrator],
    migrations,
    colors: false,
    debug: false,
    logger: (message: string) => logger.debug({ component: 'database' }, message),
  } satisfies Partial<Options>;
}

/** Connects to PostgreSQL, or opens the embedded database in its directory. */
export async function openOrm(
  settings: DatabaseSettings,
  logger: Logger,
  { statementMilliseconds }: Limits = forRequests,
): Promise<Orm> {
  const shared = ormOptions(logger);
  if (settings.kind === 'postgresql') {
    const { url, pool = 10, variable = 'DATABASE_URL' } = settings;
    const address = readPostgresAddress(url);
    const driverOptions = {
      Client: createPooledClient(createConnect(address, { variable, statementMilliseconds })),
      max: pool,
      // Also how long a request waits for a connection while all are in use.
      connectionTimeoutMillis: maxConnectMilliseconds(address),
      maxLifetimeSeconds: maxConnectionSeconds,
    };
    // Without the address: the ORM knows one server, and drops the parameters.
    return MikroORM.init({ ...shared, driver: PostgreSqlDriver, dbName: address.database, driverOptions });
  }
  const { PgliteDriver } = await import('@mikro-orm/pglite');
  return MikroORM.init({ ...shared, driver: PgliteDriver, dbName: settings.directory });
}
