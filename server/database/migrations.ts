import type { Migration } from '@mikro-orm/migrations';
import { InitialMigration } from './migrations/2026-11-28-initial.ts';
import { lockTimeoutMilliseconds } from './migrations/steps.ts';

type Listed = {
  name: string;
  class: (new (...parameters: ConstructorParameters<typeof Migration>) => Migration) & { prototype: Migration };
};

export const tableName = 'schema_migrations';

/**
 * Plain SQL that works with both drivers. A released migration must not change its name or its effect. The previous release still
 * runs during an update, so everything that it needs remains until the next release.
 */
const list: Listed[] = [{ name: '2026-11-28-initial', class: InitialMigration }];

export const migrations = migratorOptions(list);

export function migratorOptions(listed: readonly Listed[]) {
  return {
    migrationsList: listed.map(withLockTimeout),
    // Uses a transaction per migration, so that one releases its locks before the next one waits for others.
    allOrNothing: false,
    snapshot: false,
    tableName,
  };
}

function withLockTimeout({ name, class: Original }: Listed): Listed {
  class WithLockTimeout extends Original {
    override async up(): Promise<void> {
      if (this.isTransactional()) await this.execute(`set local lock_timeout = ${lockTimeoutMilliseconds}`);
      await Original.prototype.up.call(this);
    }
  }
  return { name, class: WithLockTimeout };
}
