import { IndexMigration } from './steps.ts';

/** Adds a partial index of unsettled reservations, which each turn queries. Only turns in flight have one. */
export class UnsettledUsesMigration extends IndexMigration {
  override async up(): Promise<void> {
    await this.addIndex({
      name: 'token_uses_unsettled_index',
      table: 'token_uses',
      on: '(org_id, used_at) where not settled',
    });
  }
}
