import { IndexMigration } from './steps.ts';

/** What operators look for: people and organizations page by page, and what belongs to a request id. */
export class OperatorsMigration extends IndexMigration {
  override async up(): Promise<void> {
    for (const table of ['users', 'organizations', 'invitations', 'conversations']) {
      await this.addIndex({ name: `${table}_created_at_id_index`, table, on: '(created_at, id)' });
    }
    // By their hash: clients choose these ids, and a B-tree takes none of more than a third of a page.
    for (const table of ['chat_messages', 'audit_events']) {
      await this.addIndex({ name: `${table}_request_id_index`, table, on: 'using hash (request_id)' });
    }
  }
}
