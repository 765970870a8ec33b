-- Begins a session, unless its person has been deleted or suspended. Crosses organizations, as the owner.
-- The database's clock decides when it began and when it ends. `unix_seconds` is the end by the caller's clock, which 1.1.0
-- passes: it counts only for a session that does not say how long its cookie lasts.
create or replace function begin_session(session_id text, session json, unix_seconds double precision default null)
returns boolean language plpgsql security definer as $$
  declare
    lifetime interval := (session -> 'cookie' ->> 'originalMaxAge')::float8 * interval '1 ms';
    unix_milliseconds bigint := extract(epoch from now()) * 1000;
  begin
    perform set_config('advisory_chat.across_tenants', 'yes', true), set_config('advisory_chat.org_id', '', true);
    -- Not between somebody's suspension and the end of their sessions.
    perform from users where id = session ->> 'userId' and suspended_at is null for share;
    if not found then return false; end if;
    insert into sessions (sid, sess, expire)
      values (
        session_id,
        session::jsonb || jsonb_build_object('begunAt', unix_milliseconds, 'renewedAt', unix_milliseconds),
        coalesce(now() + lifetime, to_timestamp(unix_seconds)));

    -- However often a person signs in, their sessions take limited room.
    delete from sessions
      where sid in (
        select sid from sessions where user_id = session ->> 'userId' and sid <> session_id
          order by expire desc, sid offset 99
          for update skip locked);
    return true;
  end $$
