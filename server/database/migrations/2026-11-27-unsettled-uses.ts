import { IndexMigration } from './steps.ts';

/** Adds an index for the search for unsettled reservations in each turn. It only includes turns in flight. */
export class UnsettledUsesMigration extends IndexMigration {
  override async up(): Promise<void> {
    await this.addIndex({
      name: 'token_uses_unsettled_index',
      table: 'token_uses',
      on: '(org_id, used_at) where not settled',
    });
  }
}
