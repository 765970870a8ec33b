import type { Migration } from '@mikro-orm/migrations';
import { InitialMigration } from './migrations/2026-11-21-initial.ts';
import { SessionsMigration } from './migrations/2026-11-21-sessions.ts';
import { TurnsMigration } from './migrations/2026-11-21-turns.ts';
import { BudgetsMigration } from './migrations/2026-11-22-budgets.ts';
import { PeopleMigration } from './migrations/2026-11-22-people.ts';
import { LockWaitsMigration } from './migrations/2026-11-23-lock-waits.ts';
import { OperatorsMigration } from './migrations/2026-11-23-operators.ts';
import { ReopenedTurnsMigration } from './migrations/2026-11-23-reopened-turns.ts';
import { GrowthMigration } from './migrations/2026-11-24-growth.ts';
import { JoiningMigration } from './migrations/2026-11-24-joining.ts';
import { RepeatedTurnsMigration } from './migrations/2026-11-24-repeated-turns.ts';
import { QuestionsOnceMigration } from './migrations/2026-11-25-questions-once.ts';
import { SessionPersonMigration } from './migrations/2026-11-25-session-person.ts';
import { lockTimeoutMilliseconds } from './migrations/stepped-migration.ts';

/** Plain SQL, in order, the same for both drivers. A published one is never changed: add another. */
export const migrations = {
  migrationsList: [
    { name: '2026-11-21-initial', class: InitialMigration },
    { name: '2026-11-21-turns', class: TurnsMigration },
    { name: '2026-11-21-sessions', class: SessionsMigration },
    { name: '2026-11-22-people', class: PeopleMigration },
    { name: '2026-11-22-budgets', class: BudgetsMigration },
    { name: '2026-11-23-reopened-turns', class: ReopenedTurnsMigration },
    { name: '2026-11-23-lock-waits', class: LockWaitsMigration },
    { name: '2026-11-23-operators', class: OperatorsMigration },
    { name: '2026-11-24-repeated-turns', class: RepeatedTurnsMigration },
    { name: '2026-11-24-growth', class: GrowthMigration },
    { name: '2026-11-24-joining', class: JoiningMigration },
    { name: '2026-11-25-questions-once', class: QuestionsOnceMigration },
    { name: '2026-11-25-session-person', class: SessionPersonMigration },
  ].map(withLockTimeout),
  // Each in a transaction of its own: what one has locked is free again before the next one waits.
  allOrNothing: false,
  snapshot: false,
  tableName: 'schema_migrations',
};

type Listed = {
  name: string;
  class: (new (...parameters: ConstructorParameters<typeof Migration>) => Migration) & { prototype: Migration };
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
