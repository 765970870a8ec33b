-- Deletes at most `batch_size` conversations whose last message is older than `retain_days` by the database's clock, and
-- returns their number, or null if another process is deleting conversations.
create or replace function prune_old_conversations(retain_days int, batch_size int, operator text)
returns int language sql as $$
  select prune_conversations(now() - make_interval(days => retain_days), batch_size, operator)
$$
