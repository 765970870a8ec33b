-- Begins a session, unless its person is gone or suspended. Crosses organizations, as the owner.
create or replace function begin_session(session_id text, session json, unix_seconds double precision)
returns boolean language plpgsql security definer as $$
  begin
    perform set_config('advisory_chat.across_tenants', 'yes', true), set_config('advisory_chat.org_id', '', true);
    -- Not between somebody's suspension and the end of their sessions.
    perform from users where id = session ->> 'userId' and suspended_at is null for share;
    if not found then return false; end if;
    insert into sessions (sid, sess, expire) values (session_id, session, to_timestamp(unix_seconds));
    return true;
  end $$
