-- Ends the given session of a user, or all sessions if only_session is null, and returns their number. Runs as the owner,
-- across organizations.
create or replace function end_sessions(
  person text,
  only_session text,
  from_address_hash text,
  request text
) returns integer language plpgsql security definer as $$
  declare
    ended integer;
  begin
    perform set_config('advisory_chat.across_tenants', 'yes', true), set_config('advisory_chat.org_id', '', true);
    delete from sessions where user_id = person and sid = coalesce(only_session, sid);
    get diagnostics ended = row_count;
    insert into audit_events (action, actor, subject, address_hash, request_id, details)
      values (case when only_session is null then 'signed-out-everywhere' else 'signed-out' end,
        person, person, from_address_hash, request, json_build_object('sessions', ended));
    return ended;
  end $$
