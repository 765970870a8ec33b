import { IndexMigration } from './steps.ts';

/** Adds an index without which each deletion or export of an organization, and each deletion of a user, scans all memberships. */
export class GrowthMigration extends IndexMigration {
  override async up(): Promise<void> {
    const name = 'memberships_org_id_user_id_index';
    await this.addIndex({ name, table: 'memberships', on: '(org_id, user_id)' });
  }
}
