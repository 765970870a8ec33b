import { IndexMigration } from './index-migration.ts';
import { pinFunction } from './pin-function.ts';

/** Whether the newest message of a conversation is older than what is kept. */
const isOld = `coalesce((
    select message.created_at from chat_messages message
      where message.conversation_id = conversations.id order by message.position desc limit 1
  ), conversations.created_at) < kept_since`;

/**
 * What operators look for: people and organizations page by page, and what belongs to a request id. And what deletes old
 * conversations: the login that serves may not, except by this function.
 */
export class OperatorsMigration extends IndexMigration {
  override async up(): Promise<void> {
    for (const table of ['users', 'organizations', 'invitations', 'conversations']) {
      await this.addIndex({ name: `${table}_created_at_id_index`, table, on: '(created_at, id)' });
    }
    // By their hash: clients choose these ids, and a B-tree takes none of more than a third of a page.
    for (const table of ['chat_messages', 'audit_events']) {
      await this.addIndex({ name: `${table}_request_id_index`, table, on: 'using hash (request_id)' });
    }
    this.addPruning();
  }

  /**
   * Deletes at most so many conversations, and gives their number; null where another process is doing it right now. The
   * planner expects one row behind row-level security: left to itself it would read and sort the whole table each time.
   */
  private addPruning(): void {
    const signature = 'prune_conversations(timestamptz, int, text)';
    this.addSql(`create function prune_conversations(kept_since timestamptz, most int, operator text)
      returns int language plpgsql security definer
        set lock_timeout = '10s' set enable_seqscan = off set enable_sort = off as $$
      declare
        old text[];
        pruned int;
      begin
        -- Whoever gets hold of the login that serves cannot delete what people have just written.
        if kept_since > now() - interval '1 day' then
          raise exception 'What is younger than a day is kept.' using errcode = 'invalid_parameter_value';
        end if;
        perform set_config('advisory_chat.across_tenants', 'yes', true), set_config('advisory_chat.org_id', '', true);
        if not pg_try_advisory_xact_lock(523, 0) then return null; end if;

        -- A conversation in which a turn is being opened or closed is locked, and left for another time.
        select array_agg(id) into old from (
          select id from conversations
            where created_at < kept_since and coalesce(last_message_at, created_at) < kept_since and ${isOld}
            order by created_at, id limit most
            for update skip locked) as found;
        -- Asked again, now that no turn can begin in them: one may have begun between the look and the lock.
        delete from conversations where id = any (old) and ${isOld};
        get diagnostics pruned = row_count;

        if pruned > 0 then
          insert into audit_events (action, actor, details)
            values ('pruned', operator, jsonb_build_object('conversations', pruned, 'before', kept_since));
        end if;
        return pruned;
      end $$`);
    pinFunction(this, signature);
  }
}
