-- Commits an answer and when its conversation was last written to, and settles what the turn had reserved. A second call
-- with the same id changes nothing. Where the conversation has been deleted there is nothing to commit, and that is no
-- error. Works as the tenant role, for which row-level security decides.
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
  -- Null where the turn counts against no budget.
  reservation text,
  used_tokens int
) returns void language plpgsql set role = 'advisory_chat_tenant' as $$
  begin
    perform set_config('advisory_chat.org_id', organization, true);

    -- The lock, and not a unique index, keeps a second call waiting: where messages have a part for each month, no index
    -- holds an id over all parts. A month is longer than any answer waits to be stored.
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

    -- After the conversation, which is also the order in which a deletion reaches the two.
    update token_uses set tokens = used_tokens, settled = true
      where id = reservation and org_id = organization;
  end $$
