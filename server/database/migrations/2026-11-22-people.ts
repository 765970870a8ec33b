import { tenantRole } from '../tenant.ts';
import { pinFunction } from './pin-function.ts';
import { addSessionPerson } from './session-person.ts';
import { SteppedMigration } from './stepped-migration.ts';

/** Tables whose rows belong to one organization, as the first migration has them. */
const tenantTables = ['organizations', 'users', 'memberships', 'engagement_states', 'conversations', 'chat_messages'];

/** What crosses organizations says so first, by a setting of the transaction that counts for the tables' owner alone. */
const acrossTenants = `perform set_config('advisory_chat.across_tenants', 'yes', true), set_config('advisory_chat.org_id', '', true);`;

/** So many sessions are locked at a time, each until it knows its person. */
const batchRows = 10_000;

/**
 * Who may come in, and who is out: invitations, suspension, blocked accounts, sessions that go with their person, and
 * the trail of all of it. Row security now holds for the tables' owner too. So the service can log in as somebody who
 * owns nothing: what has to cross organizations for a sign-in is a function here, which works as the owner.
 *
 * Mended after it was published: it was one transaction that rewrote `sessions`. Requests that waited for it found no session.
 */
export class PeopleMigration extends SteppedMigration {
  override async up(): Promise<void> {
    this.addSql(`alter table users
      add column if not exists email_verified boolean not null default false,
      add column if not exists suspended_at timestamptz`);
    await this.step();

    await this.addTables();
    await this.addPersonToSessions();
    // From here on requests use the new columns, and ask for what crosses organizations.
    this.replaceFindSession();
    this.addSignIn();
    pinFunction(this, 'open_turn(text, text, text, text, text, text, text)');
    pinFunction(this, 'close_turn(text, text, text, text, text, text, int, int, int, int, text, text, text)');
    await this.step();
    await this.forceRowSecurity();
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

    // A hash, because nothing else is kept of somebody who was deleted.
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

  /** A column that PostgreSQL generates would rewrite the table, in which older snapshots then find nothing. */
  private async addPersonToSessions(): Promise<void> {
    this.addSql('alter table sessions add column if not exists user_id text');
    addSessionPerson(this);
    await this.step();

    let filled: unknown[];
    do {
      this.addSql(`update sessions set user_id = sess ->> 'userId' where sid in (
        select sid from sessions where user_id is null and sess ->> 'userId' is not null limit ${batchRows}) returning 1`);
      filled = await this.step();
    } while (filled.length > 0);

    await this.addForeignKey('sessions', 'user_id', 'references users (id) on delete cascade not valid');
    // The release before left the sessions of people who were deleted. Row security may be forced by an attempt before.
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

  /** The owner sees and writes an organization's rows as the tenant role does, or all of them where the setting says so. */
  private async forceRowSecurity(): Promise<void> {
    for (const table of tenantTables) {
      this.addSql(`alter table ${table} force row level security`);
      this.addSql(`drop policy if exists ${table}_owner_policy on ${table}`);
      this.addSql(`create policy ${table}_owner_policy on ${table}
        using (current_setting('advisory_chat.across_tenants', true) = 'yes'
          and current_user = (select pg_get_userbyid(relowner) from pg_class where oid = '${table}'::regclass))`);
      await this.step();
    }
  }

  /** As before, and nobody is found for somebody who is suspended. Whether others are in the organization is for onboarding. */
  private replaceFindSession(): void {
    this.addSql(`create or replace function find_session(session_id text, unix_seconds double precision)
      returns json language plpgsql stable security definer as $$
      begin
        ${acrossTenants}
        return (
          select json_build_object(
              'session', sess,
              'person', case when users.id is not null then json_build_object(
                'id', users.id, 'name', users.name, 'email', email, 'onboarded', onboarded_at is not null,
                'organization', json_strip_nulls(json_build_object(
                  'id', org_id, 'name', organizations.name,
                  'shared', case when onboarded_at is null and exists (
                    select from users colleague where colleague.org_id = users.org_id and colleague.id <> users.id
                  ) then true end))
              ) end)
            from sessions
              left join users on users.id = sessions.user_id and suspended_at is null
              left join organizations on organizations.id = org_id
            where sid = session_id and expire >= to_timestamp(unix_seconds));
      end $$`);
    pinFunction(this, 'find_session(text, double precision)');
  }

  /**
   * Somebody has come back from a provider. Gives who that is, or why they are not let in, and writes the trail of it.
   * An invitation is used up by the person who signs up with it, or who joins another organization by it.
   */
  private addSignIn(): void {
    this.addSql(`create or replace function sign_in(
      account_provider text,
      account_subject text,
      person_name text,
      person_email text,
      person_email_verified boolean,
      invitation_token_hash text,
      may_sign_up boolean,
      new_user text,
      new_organization text,
      new_organization_name text,
      from_address_hash text,
      request text
    ) returns json language plpgsql security definer as $$
      declare
        account text := encode(sha256(convert_to(account_provider || ' ' || account_subject, 'UTF8')), 'hex');
        person users;
        invitation invitations;
        refusal text;
        happened text := 'signed-in';
      begin
        ${acrossTenants}
        -- Two first sign-ins of one account at once: the second waits here, and then finds the first.
        perform pg_advisory_xact_lock(hashtextextended(account, 0));

        select users.* into person from identities join users on users.id = user_id
          where provider = account_provider and subject = account_subject for update of users;
        select * into invitation from invitations
          where token_hash = invitation_token_hash and used_at is null and expires_at > now() for update;

        refusal := case
          when person.suspended_at is not null then 'suspended'
          when person.id is not null then null
          when exists (select from blocked_accounts where account_hash = account) then 'suspended'
          when invitation.id is not null then null
          when invitation_token_hash is not null then 'invitation'
          when not may_sign_up then 'uninvited'
        end;
        if refusal is not null then
          insert into audit_events (action, actor, subject, address_hash, request_id, details)
            values ('sign-in-refused', person.id, person.id, from_address_hash, request,
              json_build_object('provider', account_provider, 'reason', refusal));
          return json_build_object('refusal', refusal, 'userId', person.id);
        end if;

        if person.id is null then
          happened := 'signed-up';
          if invitation.joins is null then
            insert into organizations (id, name) values (new_organization, new_organization_name);
          end if;
          insert into users (id, org_id, name, email, email_verified)
            values (new_user, coalesce(invitation.joins, new_organization), person_name, person_email, person_email_verified)
            returning * into person;
          insert into memberships (user_id, org_id) values (person.id, person.org_id);
          insert into identities (provider, subject, user_id) values (account_provider, account_subject, person.id);
          update invitations set used_at = now(), used_by = person.id where id = invitation.id;
        else
          if invitation.joins <> person.org_id then
            happened := 'joined';
            insert into memberships (user_id, org_id) values (person.id, invitation.joins) on conflict do nothing;
            -- Their engagement there begins with onboarding, unless they were there before.
            update users set org_id = invitation.joins, onboarded_at = case when exists (
                select from engagement_states where user_id = person.id and engagement_states.org_id = invitation.joins
              ) then onboarded_at end
              where id = person.id returning * into person;
            update invitations set used_at = now(), used_by = person.id where id = invitation.id;
          end if;
          update users set email_verified = person_email_verified
            where id = person.id and email = person_email and email_verified <> person_email_verified;
        end if;

        insert into audit_events (action, actor, subject, address_hash, request_id, details)
          values (happened, person.id, person.id, from_address_hash, request,
            json_strip_nulls(json_build_object('provider', account_provider, 'invitation', case when happened <> 'signed-in' then invitation.id end)));
        return json_build_object('action', happened, 'person', json_build_object(
          'id', person.id, 'name', person.name, 'email', person.email, 'onboarded', person.onboarded_at is not null,
          'organization', (select json_build_object('id', id, 'name', name) from organizations where id = person.org_id)));
      end $$`);
    pinFunction(this, 'sign_in(text, text, text, text, boolean, text, boolean, text, text, text, text, text)');

    this.addSql(`create or replace function begin_session(session_id text, session json, unix_seconds double precision)
      returns boolean language plpgsql security definer as $$
      begin
        ${acrossTenants}
        -- Not between somebody's suspension and the end of their sessions.
        perform from users where id = session ->> 'userId' and suspended_at is null for share;
        if not found then return false; end if;
        insert into sessions (sid, sess, expire) values (session_id, session, to_timestamp(unix_seconds));
        return true;
      end $$`);
    pinFunction(this, 'begin_session(text, json, double precision)');

    this.addSql(`create or replace function end_sessions(
      person text,
      only_session text,
      from_address_hash text,
      request text
    ) returns integer language plpgsql security definer as $$
      declare
        ended integer;
      begin
        ${acrossTenants}
        delete from sessions where user_id = person and sid = coalesce(only_session, sid);
        get diagnostics ended = row_count;
        insert into audit_events (action, actor, subject, address_hash, request_id, details)
          values (case when only_session is null then 'signed-out-everywhere' else 'signed-out' end,
            person, person, from_address_hash, request, json_build_object('sessions', ended));
        return ended;
      end $$`);
    pinFunction(this, 'end_sessions(text, text, text, text)');
  }
}
