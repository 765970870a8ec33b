import { Migration } from '@mikro-orm/migrations';

/** A session and whose it is, in one statement whose plan PostgreSQL keeps: every request of somebody signed in begins with it. */
export class SessionsMigration extends Migration {
  override up(): void {
    this.addSql(`create function find_session(session_id text, unix_seconds double precision)
      returns json language plpgsql stable as $$
      begin
        return (
          select json_build_object(
              'session', sess,
              'person', case when users.id is not null then json_build_object(
                'id', users.id, 'name', users.name, 'email', email, 'onboarded', onboarded_at is not null,
                'organization', json_build_object('id', org_id, 'name', organizations.name)
              ) end)
            from sessions
              left join users on users.id = sess ->> 'userId'
              left join organizations on organizations.id = org_id
            where sid = session_id and expire >= to_timestamp(unix_seconds));
      end $$`);
  }
}
