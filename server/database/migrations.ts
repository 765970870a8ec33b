import type { Migration } from '@mikro-orm/migrations';
import { tableName } from './functions.ts';
import { InitialMigration } from './migrations/2026-11-21-initial.ts';
import { BudgetsMigration } from './migrations/2026-11-22-budgets.ts';
import { PeopleMigration } from './migrations/2026-11-22-people.ts';
import { OperatorsMigration } from './migrations/2026-11-23-operators.ts';
import { GrowthMigration } from './migrations/2026-11-24-growth.ts';
import { SessionPersonMigration } from './migrations/2026-11-25-session-person.ts';
import { RowSecurityMigration } from './migrations/2026-11-26-row-security.ts';
import { UnsettledUsesMigration } from './migrations/2026-11-27-unsettled-uses.ts';
import { lockTimeoutMilliseconds } from './migrations/steps.ts';

type Listed = {
  name: string;
  class: (new (...parameters: ConstructorParameters<typeof Migration>) => Migration) & { prototype: Migration };
};

/**
 * Plain SQL that works with both drivers. A released migration must not change its name or its effect on tables. Databases
 * that releases 1.0.0 and 1.1.0 created also list migrations that only created functions.
 */
const beforeFunctions: Listed[] = [
  { name: '2026-11-21-initial', class: InitialMigration },
  { name: '2026-11-22-people', class: PeopleMigration },
  { name: '2026-11-22-budgets', class: BudgetsMigration },
  { name: '2026-11-23-operators', class: OperatorsMigration },
  { name: '2026-11-24-growth', class: GrowthMigration },
  { name: '2026-11-25-session-person', class: SessionPersonMigration },
  { name: '2026-11-27-unsettled-uses', class: UnsettledUsesMigration },
];

/**
 * Migrations that require the functions of this release. The previous release still runs during an update, so everything that
 * it needs remains until the next release: test/server/release-before.services.test.ts lists what can then be dropped.
 */
const migrationsAfterFunctions: Listed[] = [{ name: '2026-11-26-row-security', class: RowSecurityMigration }];

const namesOf = (list: readonly Listed[]) => list.map(({ name }) => name);

/** Everything that creates the schema, in order. */
export const steps: readonly string[] = [
  ...namesOf(beforeFunctions),
  'functions',
  ...namesOf(migrationsAfterFunctions),
];

export const migrations = {
  migrationsList: [...beforeFunctions, ...migrationsAfterFunctions].map(withLockTimeout),
  // Uses a transaction per migration, so that one releases its locks before the next one waits for others.
  allOrNothing: false,
  snapshot: false,
  tableName,
};

function withLockTimeout({ name, class: Original }: Listed): Listed {
  class WithLockTimeout extends Original {
    override async up(): Promise<void> {
      if (this.isTransactional()) await this.execute(`set local lock_timeout = ${lockTimeoutMilliseconds}`);
      await Original.prototype.up.call(this);
    }
  }
  return { name, class: WithLockTimeout };
}
