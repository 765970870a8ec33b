-- Partitions chat_messages by month. docs/database.md, Partitions, explains when this is useful and what it costs.
--
--   psql "$DATABASE_MIGRATION_URL" --file=docs/deploy/partition-messages.sql
--
-- Run it as the owner of the tables, while the service runs. It blocks requests only during the last step, for about a tenth of a
-- second. The existing table becomes the first partition, and no row is copied. Do not stop between the steps: after the second one,
-- messages cannot be written from the month after next on until the last step is done.

\set ON_ERROR_STOP on
set timezone = 'UTC';

-- 1. Creates the index that the partitioned table needs. It reads the table without blocking writes.
create unique index concurrently chat_messages_before_id_created_at_index on chat_messages (id, created_at);

-- 2. Limits the first partition to the end of next month. Its validation scans the table, so that the last step does not.
set lock_timeout = '2s';
do $$ begin
  execute format('alter table chat_messages add constraint chat_messages_before_check check (created_at < %L) not valid',
    date_trunc('month', now()) + interval '2 months');
end $$;
alter table chat_messages validate constraint chat_messages_before_check;

-- 3. Replaces the table with the partitioned one. On "lock timeout", run this step again.
begin;
lock table conversations, chat_messages in access exclusive mode;

alter table chat_messages rename to chat_messages_before;
alter table chat_messages_before rename constraint chat_messages_pkey to chat_messages_before_pkey;
alter index chat_messages_conversation_id_position_index rename to chat_messages_before_conversation_id_position_index;
alter index chat_messages_request_id_index rename to chat_messages_before_request_id_index;

create table chat_messages (like chat_messages_before including defaults) partition by range (created_at);
alter sequence chat_messages_position_seq owned by chat_messages.position;
alter table chat_messages add constraint chat_messages_role_check check (role in ('USER', 'ASSISTANT'));
alter table chat_messages add constraint chat_messages_conversation_foreign
  foreign key (conversation_id, user_id, org_id) references conversations (id, user_id, org_id) on delete cascade;
create unique index chat_messages_id_created_at_index on chat_messages (id, created_at);
create index chat_messages_conversation_id_position_index on chat_messages (conversation_id, position);
create index chat_messages_request_id_index on chat_messages using hash (request_id);

-- All statements use chat_messages, so these policies apply to all partitions. Only the owner has privileges on a partition itself.
alter table chat_messages enable row level security;
alter table chat_messages force row level security;
create policy chat_messages_tenant_policy on chat_messages using (org_id = current_setting('advisory_chat.org_id'));
create policy chat_messages_owner_policy on chat_messages
  using (current_setting('advisory_chat.across_tenants', true) = 'yes'
    and current_user = (select pg_get_userbyid(relowner) from pg_class where oid = 'chat_messages'::regclass));
grant select, insert on chat_messages to advisory_chat_tenant;
revoke all on chat_messages_before from advisory_chat_tenant;

do $$ begin
  execute format('alter table chat_messages attach partition chat_messages_before for values from (minvalue) to (%L)',
    date_trunc('month', now()) + interval '2 months');
end $$;
alter table chat_messages_before drop constraint chat_messages_before_check;

-- Holds the messages of months without a partition.
create table chat_messages_other partition of chat_messages default;
alter table chat_messages_other enable row level security;
alter table chat_messages_other force row level security;

-- Creates missing partitions for the next months. Call it regularly: select make_message_months(12);
create function make_message_months(months int) returns void language plpgsql set timezone = 'UTC' set lock_timeout = '2s' as $$
  declare
    month timestamptz;
    part text;
  begin
    for month in select generate_series(
        date_trunc('month', now()) + interval '2 months',
        date_trunc('month', now()) + (months + 1) * interval '1 month', interval '1 month') loop
      part := 'chat_messages_' || to_char(month, 'YYYY_MM');
      continue when to_regclass(part) is not null;
      begin
        execute format('create table %I partition of chat_messages for values from (%L) to (%L)',
          part, month, month + interval '1 month');
        execute format('alter table %I enable row level security', part);
        execute format('alter table %I force row level security', part);
      exception when check_violation then
        raise notice 'messages of % are in chat_messages_other, and stay there', to_char(month, 'YYYY-MM');
      end;
    end loop;
  end $$;
revoke execute on function make_message_months(int) from public;
do $$ begin
  execute format('alter function make_message_months(int) set search_path = %I, pg_temp', current_schema());
end $$;
select make_message_months(12);
commit;
