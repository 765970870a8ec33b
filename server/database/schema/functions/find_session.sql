-- Returns a session and its user, for each request of a signed-in user. The user is null if suspended. `shared`, whether the
-- organization has other members, is only set until the user is onboarded. `now` is the database's clock in milliseconds.
-- Runs as the owner, across organizations.
create or replace function find_session(session_id text)
returns json language plpgsql stable security definer as $$
  begin
    perform set_config('advisory_chat.across_tenants', 'yes', true), set_config('advisory_chat.org_id', '', true);
    return (
      select json_build_object(
          'session', sess,
          'now', (extract(epoch from now()) * 1000)::bigint,
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
        where sid = session_id and expire >= now());
  end $$
