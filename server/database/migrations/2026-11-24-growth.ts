import { IndexMigration } from './index-migration.ts';

/** What is needed where there are many people and messages. */
export class GrowthMigration extends IndexMigration {
  override async up(): Promise<void> {
    // Without it PostgreSQL reads every membership there is, for each organization that is deleted or exported, and for each
    // person who is deleted.
    const name = 'memberships_org_id_user_id_index';
    await this.addIndex({ name, table: 'memberships', on: '(org_id, user_id)' });

    // A plan that must not read or sort the whole table is a dear one to the planner. It would be compiled for each batch,
    // which takes longer than the batch.
    this.addSql('alter function prune_conversations(timestamptz, int, text) set jit = off');
  }
}
