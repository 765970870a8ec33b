import { IndexMigration } from './steps.ts';

/** Each turn looks for reservations that were never settled: only the few turns in flight are in this index. */
export class UnsettledUsesMigration extends IndexMigration {
  override async up(): Promise<void> {
    await this.addIndex({
      name: 'token_uses_unsettled_index',
      table: 'token_uses',
      on: '(org_id, used_at) where not settled',
    });
  }
}
