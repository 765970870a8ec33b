-- Signs a user in or up, or refuses them, and writes the audit event. Only a sign-up uses up the invitation.
-- `needsConfirmation` is true if an existing user has an invitation to another organization. Runs as the owner, across
-- organizations.
create or replace function sign_in(
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
    action text := 'signed-in';
    needs_confirmation boolean;
  begin
    perform set_config('advisory_chat.across_tenants', 'yes', true), set_config('advisory_chat.org_id', '', true);
    -- Serializes concurrent first sign-ins of one account, so that the second one finds the user.
    perform pg_advisory_xact_lock(hashtextextended(account, 0));

    -- Locks organization, user and invitation in the same order as a deletion, to prevent deadlocks.
    perform from organizations
      where id = (select joins from invitations where token_hash = invitation_token_hash) for key share;
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
      action := 'signed-up';
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
      needs_confirmation := invitation.joins <> person.org_id;
      update users set email_verified = person_email_verified
        where id = person.id and email = person_email and email_verified <> person_email_verified;
    end if;

    insert into audit_events (action, actor, subject, address_hash, request_id, details)
      values (action, person.id, person.id, from_address_hash, request,
        json_strip_nulls(json_build_object('provider', account_provider, 'invitation', case when action = 'signed-up' then invitation.id end)));
    return json_build_object('action', action, 'needsConfirmation', coalesce(needs_confirmation, false), 'person', json_build_object(
      'id', person.id, 'name', person.name, 'email', person.email, 'onboarded', person.onboarded_at is not null,
      'organization', (select json_build_object('id', id, 'name', name) from organizations where id = person.org_id)));
  end $$
