import type { Migration } from '@mikro-orm/migrations';
import { pinFunction } from './pin-function.ts';

/** Keeps `sessions.user_id` as the session says it, whichever release writes the session. */
export function addSessionPerson(migration: Migration): void {
  migration.addSql(`create or replace function set_session_person() returns trigger language plpgsql as $$
    begin
      new.user_id := new.sess ->> 'userId';
      return new;
    end $$`);
  pinFunction(migration, 'set_session_person()');
  migration.addSql(`create or replace trigger sessions_person before insert or update of sess on sessions
    for each row execute function set_session_person()`);
}
