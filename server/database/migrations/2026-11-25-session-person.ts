import { Migration } from '@mikro-orm/migrations';
import { addSessionPerson } from './session-person.ts';

/** Whoever has the generated column that `2026-11-22-people` once made gets the plain one that it makes now. No row is written. */
export class SessionPersonMigration extends Migration {
  override up(): void {
    this.addSql('alter table sessions alter column user_id drop expression if exists');
    addSessionPerson(this);
  }
}
