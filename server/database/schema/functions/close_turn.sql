-- Stores an answer, updates its conversation's last_message_at, and settles the turn's reservation. Idempotent for the same
-- id. If the conversation has been deleted, only settles the reservation. Runs as the tenant role, to which row-level
-- security applies.
create or replace function close_turn(
  organization text,
  person text,
  conversation text,
  new_message text,
  request text,
  answer text,
  input int,
  output int,
  cache_read int,
  cache_create int,
  stopped_by text,
  answered_by text,
  prompt text,
  -- Null if there is no budget.
  reservation text,
  used_tokens int
) returns void language plpgsql set role = 'advisory_chat_tenant' as $$
  begin
    perform set_config('advisory_chat.org_id', organization, true);

    -- A lock serializes repeated calls, because a unique index on the id cannot span the partitions of a table that is
    -- partitioned by month. No answer waits for longer than a month to be stored.
    perform from conversations
      where id = conversation and user_id = person and org_id = organization for no key update;
    if found then
      insert into chat_messages (
          id, org_id, user_id, conversation_id, role, request_id, content, input_tokens, output_tokens,
          cache_read_tokens, cache_create_tokens, stop_reason, model, prompt_version)
        select
          new_message, organization, person, conversation, 'ASSISTANT', request, answer, input, output,
          cache_read, cache_create, stopped_by, answered_by, prompt
        where not exists (
          select from chat_messages
            where id = new_message and org_id = organization and created_at > now() - interval '1 month');
      if found then
        update conversations set last_message_at = now() where id = conversation and org_id = organization;
      end if;
    end if;

    -- Locks the conversation before the use and its sums, as open_turn and a deletion do, to prevent deadlocks.
    update token_uses set tokens = used_tokens, settled = true
      where id = reservation and org_id = organization;
  end $$
