import { type EntityManager as AnyEntityManager, MikroORM, type Options } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { type AbstractSqlDriver, PostgreSqlDriver, type SqlEntityManager } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { AuditEvent } from './entities/audit-event.ts';
import { BlockedAccount } from './entities/blocked-account.ts';
import { ChatMessage } from './entities/chat-message.ts';
import { Conversation } from './entities/conversation.ts';
import { EngagementState } from './entities/engagement-state.ts';
import { Invitation } from './entities/invitation.ts';
import { Organization } from './entities/organization.ts';
import { Session } from './entities/session.ts';
import { TokenUse } from './entities/token-use.ts';
import { Identity, Membership, User } from './entities/user.ts';
import { reclaimLostConnections } from './lost-connections.ts';
import { migrations } from './migrations.ts';

/** `ownerUrl` is for migrations and for what crosses organizations; without one, `url` is the owner's. */
export type PostgreSqlSettings = { kind: 'postgresql'; url: string; ownerUrl?: string | undefined };

export type DatabaseSettings = PostgreSqlSettings | { kind: 'embedded'; directory: string };

/** The same database, over the login of its owner. */
export function asOwner(settings: DatabaseSettings): DatabaseSettings {
  return settings.kind === 'postgresql' ? { ...settings, url: settings.ownerUrl ?? settings.url } : settings;
}

export type EntityManager = SqlEntityManager<AbstractSqlDriver> & AnyEntityManager<AbstractSqlDriver>;
export type Orm = MikroORM<AbstractSqlDriver, EntityManager>;

/** How long a request waits for the database before it fails: longer is a fault, not a delay. In milliseconds. */
const forRequests = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: 10_000,
  idle_in_transaction_session_timeout: 10_000,
  // Where the server's own limit does not come back either.
  query_timeout: 11_000,
  onPoolCreated: reclaimLostConnections,
};

/** For work that no request waits for. */
export const unhurried: Partial<typeof forRequests> = { connectionTimeoutMillis: 5_000 };

/** A connection to a server that has vanished without a word looks alive for a quarter of an hour: none gets that old. */
const longestConnectionSeconds = 60;

/** What both drivers share: one entity set, one migration set. */
export function ormOptions(logger: Logger) {
  return {
    entities: [
      ...[Organization, User, Membership, Identity, Conversation, ChatMessage, EngagementState],
      ...[Session, Invitation, BlockedAccount, AuditEvent, TokenUse],
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
  timeouts: Partial<typeof forRequests> = forRequests,
): Promise<Orm> {
  const shared = ormOptions(logger);
  if (settings.kind === 'postgresql') {
    const driverOptions = { ...timeouts, maxLifetimeSeconds: longestConnectionSeconds };
    return MikroORM.init({ ...shared, driver: PostgreSqlDriver, clientUrl: settings.url, driverOptions });
  }
  const { PgliteDriver } = await import('@mikro-orm/pglite');
  return MikroORM.init({ ...shared, driver: PgliteDriver, dbName: settings.directory });
}
