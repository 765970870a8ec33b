-- Deletes at most so many conversations whose newest message is older than what is kept, and gives their number; null where
-- another process is doing it right now. The login that serves may delete conversations by this alone. Crosses
-- organizations, as the owner.
--
-- The planner expects one row behind row-level security: left to itself it would read and sort the whole table each time. A
-- plan that must not do so is a dear one to it, which it would compile for each batch: that takes longer than the batch.
create or replace function prune_conversations(kept_since timestamptz, most int, operator text)
returns int language plpgsql security definer set enable_seqscan = off set enable_sort = off set jit = off as $$
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
        where created_at < kept_since and coalesce(last_message_at, created_at) < kept_since
          and coalesce((
            select message.created_at from chat_messages message
              where message.conversation_id = conversations.id order by message.position desc limit 1
          ), conversations.created_at) < kept_since
        order by created_at, id limit most
        for update skip locked) as found;
    -- Asked again, now that no turn can begin in them: one may have begun between the look and the lock.
    delete from conversations
      where id = any (old) and coalesce((
        select message.created_at from chat_messages message
          where message.conversation_id = conversations.id order by message.position desc limit 1
      ), conversations.created_at) < kept_since;
    get diagnostics pruned = row_count;

    if pruned > 0 then
      insert into audit_events (action, actor, details)
        values ('pruned', operator, jsonb_build_object('conversations', pruned, 'before', kept_since));
    end if;
    return pruned;
  end $$
