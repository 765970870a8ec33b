-- Calls prune_conversations for conversations whose last message is older than `retain_days` by the database's clock.
create or replace function prune_old_conversations(retain_days int, most_messages int, operator text)
returns json language sql as $$
  select prune_conversations(now() - make_interval(days => retain_days), most_messages, operator)
$$
