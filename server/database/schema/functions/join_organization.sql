-- Returns the user's current organization and that of the invitation, or null if the invitation is not valid. If the caller
-- passes these two organizations, the user joins, and the result is the text "joined". Runs as the owner, across organizations.
create or replace function join_organization(
  person_id text,
  invitation_token_hash text,
  from_organization text,
  to_organization text,
  from_address_hash text,
  request text
) returns json language plpgsql security definer as $$
  declare
    person users;
    invitation invitations;
  begin
    perform set_config('advisory_chat.across_tenants', 'yes', true), set_config('advisory_chat.org_id', '', true);
    -- Locks organization, user and invitation in the same order as sign-in and deletion, to prevent deadlocks.
    perform from organizations
      where id = (select joins from invitations where token_hash = invitation_token_hash) for key share;
    -- Serializes concurrent calls, so that the second one sees the result of the first.
    select * into person from users where id = person_id and suspended_at is null for update;
    select * into invitation from invitations where token_hash = invitation_token_hash
      -- An invitation to the user's own organization is returned even if it is used or expired.
      and (joins = person.org_id or (used_at is null and expires_at > now())) for update;
    if person.id is null or invitation.id is null then return null; end if;

    if invitation.joins <> person.org_id and from_organization = person.org_id and to_organization = invitation.joins then
      insert into memberships (user_id, org_id) values (person.id, invitation.joins) on conflict do nothing;
      -- A user without an engagement state in the new organization must be onboarded there.
      update users set org_id = invitation.joins, onboarded_at = case when exists (
          select from engagement_states where user_id = person.id and engagement_states.org_id = invitation.joins
        ) then onboarded_at end
        where id = person.id;
      update invitations set used_at = now(), used_by = person.id where id = invitation.id;
      insert into audit_events (action, actor, subject, address_hash, request_id, details)
        values ('joined', person.id, person.id, from_address_hash, request, json_build_object('invitation', invitation.id));
      return to_json('joined'::text);
    end if;
    return json_build_object(
      'from', (select json_build_object('id', id, 'name', name) from organizations where id = person.org_id),
      'to', (select json_build_object('id', id, 'name', name) from organizations where id = invitation.joins));
  end $$
