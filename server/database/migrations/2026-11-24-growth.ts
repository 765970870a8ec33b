import { IndexMigration } from './steps.ts';

/** Without this index PostgreSQL reads every membership, for each organization that is deleted or exported and each person who is deleted. */
export class GrowthMigration extends IndexMigration {
  override async up(): Promise<void> {
    const name = 'memberships_org_id_user_id_index';
    await this.addIndex({ name, table: 'memberships', on: '(org_id, user_id)' });
  }
}
