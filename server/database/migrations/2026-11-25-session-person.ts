import { Migration } from '@mikro-orm/migrations';
import { functionStatements } from '../functions.ts';

/** Replaces the generated column of an earlier `2026-11-22-people` by a plain one, without rewriting rows. */
export class SessionPersonMigration extends Migration {
  override up(): void {
    this.addSql('alter table sessions alter column user_id drop expression if exists');
    createSessionPersonTrigger(this);
  }
}

/** Creates the trigger that sets `sessions.user_id` from the session's JSON. */
export function createSessionPersonTrigger(migration: Migration): void {
  for (const statement of functionStatements('set_session_person')) migration.addSql(statement);
  migration.addSql(`create or replace trigger sessions_person before insert or update of sess on sessions
    for each row execute function set_session_person()`);
}
