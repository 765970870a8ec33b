import { Migration } from '@mikro-orm/migrations';
import { tenantRole } from '../tenant.ts';
import { pinFunction } from './pin-function.ts';

/** Tables whose rows belong to one organization, as the first migration has them. */
const tenantTables = ['organizations', 'users', 'memberships', 'engagement_states', 'conversations', 'chat_messages'];

/** What crosses organizations says so first, by a setting of the transaction that counts for the tables' owner alone. */
const acrossTenants = `perform set_config('advisory_chat.across_tenants', 'yes', true), set_config('advisory_chat.org_id', '', true);`;

/**
 * Who may come in, and who is out: invitations, suspension, blocked accounts, sessions that go with their person, and
 * the trail of all of it. Row security now holds for the tables' owner too. So the service can log in as somebody who
 * owns nothing: what has to cross organizations for a sign-in is a function here, which works as the owner.
 */
export class PeopleMigration extends Migration {
  override up(): void {
    this.addSql('alter table users add column email_verified boolean not null default false');
    this.addSql('alter table users add column suspended_at timestamptz');

    this.addSql(`create table invitations (
      id text primary key,
      token_hash text not null constraint invitations_token_hash_unique unique,
      joins text constraint invitations_joins_foreign references organizations (id) on delete cascade,
      note text,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      used_at timestamptz,
      used_by text constraint invitations_used_by_foreign references users (id) on delete set null
    )`);
    this.addSql('create index invitations_joins_index on invitations (joins)');
    this.addSql('create index invitations_used_by_index on invitations (used_by)');

    // A hash, because nothing else is kept of somebody who was deleted.
    this.addSql(`create table blocked_accounts (
      account_hash text primary key,
      created_at timestamptz not null default now()
    )`);

    this.addSql(`create table audit_events (
      position bigserial primary key,
      created_at timestamptz not null default now(),
      action text not null,
      actor text,
      subject text,
      address_hash text,
      request_id text,
      details jsonb
    )`);
    this.addSql('create index audit_events_subject_position_index on audit_events (subject, position)');
    this.addSql('create index audit_events_created_at_index on audit_events (created_at)');
    this.addSql(`grant insert on audit_events to ${tenantRole}`);
    this.addSql(`grant usage on sequence audit_events_position_seq to ${tenantRole}`);

    // Attempts to sign in were sessions of nobody; they have a cookie of their own now.
    this.addSql(`delete from sessions where not exists (select from users where id = sess ->> 'userId')`);
    this.addSql(`alter table sessions add column user_id text generated always as (sess ->> 'userId') stored`);
    this.addSql(`alter table sessions add constraint sessions_user_id_foreign
      foreign key (user_id) references users (id) on delete cascade`);
    this.addSql('create index sessions_user_id_index on sessions (user_id)');

    this.forceRowSecurity();
    this.replaceFindSession();
    this.addSignIn();
    pinFunction(this, 'open_turn(text, text, text, text, text, text, text)');
    pinFunction(this, 'close_turn(text, text, text, text, text, text, int, int, int, int, text, text, text)');
  }

  /** The owner sees and writes an organization's rows as the tenant role does, or all of them where the setting says so. */
  private forceRowSecurity(): void {
    for (const table of tenantTables) {
      this.addSql(`alter table ${table} force row level security`);
      this.addSql(`create policy ${table}_owner_policy on ${table}
        using (current_setting('advisory_chat.across_tenants', true) = 'yes'
          and current_user = (select pg_get_userbyid(relowner) from pg_class where oid = '${table}'::regclass))`);
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
    this.addSql(`create function sign_in(
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

    this.addSql(`create function begin_session(session_id text, session json, unix_seconds double precision)
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

    this.addSql(`create function end_sessions(
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
