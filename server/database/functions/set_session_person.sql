-- A trigger that sets sessions.user_id from the session's JSON, because 1.1.0 does not write the column.
create or replace function set_session_person() returns trigger language plpgsql as $$
  begin
    new.user_id := new.sess ->> 'userId';
    return new;
  end $$
