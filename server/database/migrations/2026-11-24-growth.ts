import { IndexMigration } from './index-migration.ts';
import { pinFunction } from './pin-function.ts';

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

    // As before, one attempt after the other: a join of all of them reads every message that there is.
    this.addSql(`create or replace function superseded_attempts(attempts json)
      returns json language plpgsql stable security definer set enable_seqscan = off as $$
      begin
        perform set_config('advisory_chat.across_tenants', 'yes', true), set_config('advisory_chat.org_id', '', true);
        return (
          select coalesce(json_agg(asked.attempt), '[]')
            from json_array_elements_text(attempts) as asked (attempt)
            where asked.attempt <> (
              select question.attempt from chat_messages question where question.id = split_part(asked.attempt, ' ', 1)));
      end $$`);
    pinFunction(this, 'superseded_attempts(json)');
  }
}
