-- The trigger that keeps sessions.user_id as the session says it, whichever release writes the session.
create or replace function set_session_person() returns trigger language plpgsql as $$
  begin
    new.user_id := new.sess ->> 'userId';
    return new;
  end $$
