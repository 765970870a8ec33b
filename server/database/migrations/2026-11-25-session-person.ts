import { Migration } from '@mikro-orm/migrations';
import { functionStatements } from '../functions.ts';

/** Whoever has the generated column that `2026-11-22-people` once made gets the plain one that it makes now. No row is written. */
export class SessionPersonMigration extends Migration {
  override up(): void {
    this.addSql('alter table sessions alter column user_id drop expression if exists');
    keepSessionPerson(this);
  }
}

/** From here on `sessions.user_id` is as the session says it. */
export function keepSessionPerson(migration: Migration): void {
  for (const statement of functionStatements('set_session_person')) migration.addSql(statement);
  migration.addSql(`create or replace trigger sessions_person before insert or update of sess on sessions
    for each row execute function set_session_person()`);
}
