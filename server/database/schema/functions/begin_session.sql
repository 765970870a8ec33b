-- Creates a session and returns true, or returns false if the user is deleted or suspended. Runs as the owner, across
-- organizations. The database's clock sets the start and the expiry.
create or replace function begin_session(session_id text, session json)
returns boolean language plpgsql security definer as $$
  declare
    person text := session ->> 'userId';
    lifetime interval := (session -> 'cookie' ->> 'originalMaxAge')::float8 * interval '1 ms';
    unix_milliseconds bigint := extract(epoch from now()) * 1000;
  begin
    perform set_config('advisory_chat.across_tenants', 'yes', true), set_config('advisory_chat.org_id', '', true);
    -- The lock serializes this with a suspension, which then also ends the new session.
    perform from users where id = person and suspended_at is null for share;
    if not found then return false; end if;
    insert into sessions (sid, sess, expire, user_id)
      values (
        session_id,
        session::jsonb || jsonb_build_object('begunAt', unix_milliseconds, 'renewedAt', unix_milliseconds),
        now() + lifetime,
        person);

    -- Limits the sessions per user to 100.
    delete from sessions
      where sid = any (array(
        select sid from sessions where user_id = person and sid <> session_id
          order by expire desc, sid offset 99
          for update skip locked));
    return true;
  end $$
