import { IndexMigration } from './steps.ts';

/** Adds indexes for operator commands: paginated lists, and searches by request id. */
export class OperatorsMigration extends IndexMigration {
  override async up(): Promise<void> {
    for (const table of ['users', 'organizations', 'invitations', 'conversations']) {
      await this.addIndex({ name: `${table}_created_at_id_index`, table, on: '(created_at, id)' });
    }
    // Hash indexes, because clients choose these ids, and a B-tree rejects values larger than a third of a page.
    for (const table of ['chat_messages', 'audit_events']) {
      await this.addIndex({ name: `${table}_request_id_index`, table, on: 'using hash (request_id)' });
    }
  }
}
