import { tenantRole } from '../tenant.ts';
import { createSessionPersonTrigger } from './2026-11-25-session-person.ts';
import { SteppedMigration } from './steps.ts';

/** Limits how many sessions are locked at once while their user is backfilled. */
const batchRows = 10_000;

/**
 * Adds invitations, suspension, blocked accounts, the deletion of sessions with their user, and the audit trail.
 *
 * The released version was one transaction that rewrote `sessions`, and requests that waited for it found no session. It was
 * replaced by these steps.
 */
export class PeopleMigration extends SteppedMigration {
  override async up(): Promise<void> {
    this.addSql(`alter table users
      add column if not exists email_verified boolean not null default false,
      add column if not exists suspended_at timestamptz`);
    await this.step();

    await this.addTables();
    await this.addPersonToSessions();
  }

  private async addTables(): Promise<void> {
    this.addSql(`create table if not exists invitations (
      id text primary key,
      token_hash text not null constraint invitations_token_hash_unique unique,
      joins text,
      note text,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      used_at timestamptz,
      used_by text
    )`);
    this.addSql('create index if not exists invitations_joins_index on invitations (joins)');
    this.addSql('create index if not exists invitations_used_by_index on invitations (used_by)');

    // Stores only a hash of the account, because all other data of a deleted user is erased.
    this.addSql(`create table if not exists blocked_accounts (
      account_hash text primary key,
      created_at timestamptz not null default now()
    )`);

    this.addSql(`create table if not exists audit_events (
      position bigserial primary key,
      created_at timestamptz not null default now(),
      action text not null,
      actor text,
      subject text,
      address_hash text,
      request_id text,
      details jsonb
    )`);
    this.addSql('create index if not exists audit_events_subject_position_index on audit_events (subject, position)');
    this.addSql('create index if not exists audit_events_created_at_index on audit_events (created_at)');
    this.addSql(`grant insert on audit_events to ${tenantRole}`);
    this.addSql(`grant usage on sequence audit_events_position_seq to ${tenantRole}`);
    await this.step();

    await this.addForeignKey('invitations', 'joins', 'references organizations (id) on delete cascade');
    await this.addForeignKey('invitations', 'used_by', 'references users (id) on delete set null');
  }

  private async addForeignKey(table: string, column: string, references: string): Promise<void> {
    const name = `${table}_${column}_foreign`;
    this.addSql(`do $$ begin
        if not exists (select from pg_constraint where conrelid = '${table}'::regclass and conname = '${name}') then
          alter table ${table} add constraint ${name} foreign key (${column}) ${references};
        end if;
      end $$`);
    await this.step();
  }

  /** A generated column would rewrite the table, which then appears empty to older snapshots. */
  private async addPersonToSessions(): Promise<void> {
    this.addSql('alter table sessions add column if not exists user_id text');
    createSessionPersonTrigger(this);
    await this.step();

    let filled: unknown[];
    do {
      this.addSql(`update sessions set user_id = sess ->> 'userId' where sid in (
        select sid from sessions where user_id is null and sess ->> 'userId' is not null limit ${batchRows}) returning 1`);
      filled = await this.step();
    } while (filled.length > 0);

    await this.addForeignKey('sessions', 'user_id', 'references users (id) on delete cascade not valid');
    // The previous release did not delete the sessions of deleted users. An earlier attempt can have forced row-level security.
    this.addSql(
      `select set_config('advisory_chat.across_tenants', 'yes', true), set_config('advisory_chat.org_id', '', true)`,
    );
    this.addSql('delete from sessions where user_id is not null and not exists (select from users where id = user_id)');
    await this.step();
    this.addSql('alter table sessions validate constraint sessions_user_id_foreign');
    await this.step();
    await this.addIndex({ name: 'sessions_user_id_index', table: 'sessions', on: '(user_id)' });
    await this.step();
  }
}
