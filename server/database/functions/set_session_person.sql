-- A trigger that sets sessions.user_id from the session's JSON, because release 1.1.0, which can
-- run beside this one during an upgrade, does not write the column.
create or replace function set_session_person() returns trigger language plpgsql as $$
  begin
    new.user_id := new.sess ->> 'userId';
    return new;
  end $$
