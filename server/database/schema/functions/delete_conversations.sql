-- Deletes at most `most_messages` messages of the given conversations, and those conversations that have no further messages.
-- Returns both numbers. Several calls delete a larger conversation in parts, oldest messages first. Only the owner has the
-- privileges for this. Disables sequential scans and sorts for the same reasons as prune_conversations.
create or replace function delete_conversations(candidates text[], most_messages int)
returns json language plpgsql set enable_seqscan = off set enable_sort = off set jit = off as $$
  declare
    messages int;
    conversations int;
  begin
    delete from chat_messages message
      using (
        select part.conversation_id, part.position
          from unnest(candidates) as candidate (id)
            cross join lateral (
              select conversation_id, position from chat_messages
                where conversation_id = candidate.id order by position limit most_messages
            ) part
          limit most_messages
      ) as parts
      where message.conversation_id = parts.conversation_id and message.position = parts.position;
    get diagnostics messages = row_count;
    delete from conversations conversation
      where id = any (candidates) and not exists (select from chat_messages where conversation_id = conversation.id);
    get diagnostics conversations = row_count;
    return json_build_object('conversations', conversations, 'messages', messages);
  end $$
