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
 * Tables, columns, indexes and policies: plain SQL, the same for both drivers. A published one keeps its name and what it does
 * to tables. Databases of 1.0.0 and 1.1.0 know more names: of migrations that made functions alone.
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
 * What only the functions of this release can work with. The release before serves on, so what it needs stays until the next
 * one. What 1.1.0 alone calls is to be dropped then: test/server/release-before.services.test.ts has the list.
 */
const afterFunctions: Listed[] = [{ name: '2026-11-26-row-security', class: RowSecurityMigration }];

const namesOf = (list: readonly Listed[]) => list.map(({ name }) => name);

/** All that makes the schema, in order: the names of migrations, and between them the functions. */
export const steps: readonly string[] = [...namesOf(beforeFunctions), 'functions', ...namesOf(afterFunctions)];

export const migrations = {
  migrationsList: [...beforeFunctions, ...afterFunctions].map(withLockTimeout),
  // Each in a transaction of its own: what one has locked is free again before the next one waits.
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
