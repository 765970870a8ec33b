-- Deletes conversations whose last message is older than `kept_since`: at most 100, with at most `most_messages` messages. Returns
-- both numbers, or null if another process is deleting conversations. If both are 0, none is left that is not locked. This is the
-- only way in which the serving login can delete conversations. Runs as the owner, across organizations.
--
-- Row-level security makes the planner underestimate the number of rows, so it would scan and sort the table for each batch.
-- With scans and sorts disabled, the estimated cost would trigger JIT compilation, which takes longer than a batch.
create or replace function prune_conversations(kept_since timestamptz, most_messages int, operator text)
returns json language plpgsql security definer set enable_seqscan = off set enable_sort = off set jit = off as $$
  declare
    candidates text[];
    pruned json;
  begin
    -- Limits the damage that a compromised serving login can do.
    if kept_since > now() - interval '1 day' then
      raise exception 'Conversations of the last day cannot be deleted.' using errcode = 'invalid_parameter_value';
    end if;
    perform set_config('advisory_chat.across_tenants', 'yes', true), set_config('advisory_chat.org_id', '', true);
    if not pg_try_advisory_xact_lock(523, 0) then return null; end if;

    -- Skips conversations that are locked because a turn is being opened or closed.
    select array_agg(id) into candidates from (
      select id from conversations
        where created_at < kept_since and coalesce(last_message_at, created_at) < kept_since
          and coalesce((
            select message.created_at from chat_messages message
              where message.conversation_id = conversations.id order by message.position desc limit 1
          ), conversations.created_at) < kept_since
        order by created_at, id limit 100
        for update skip locked) as found;
    -- Repeats the condition under the lock, because a turn may have started between the query's snapshot and the lock. Keeps the
    -- order, so that the next batch starts with the conversation that this one deletes only in part.
    candidates := array(
      select candidate.id from unnest(candidates) with ordinality as candidate (id, place)
        where coalesce((
          select message.created_at from chat_messages message
            where message.conversation_id = candidate.id order by message.position desc limit 1
        ), '-infinity') < kept_since
        order by candidate.place);
    pruned := delete_conversations(candidates, most_messages);

    if cardinality(candidates) > 0 then
      insert into audit_events (action, actor, details)
        values ('pruned', operator, pruned::jsonb || jsonb_build_object('before', kept_since));
    end if;
    return pruned;
  end $$
