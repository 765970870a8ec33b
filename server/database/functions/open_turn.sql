-- Commits a question, and the conversation if the question begins one, and hands over what the prompt is composed from.
-- It looks at the last message of its conversation alone, so what others have sent costs it nothing.
-- Null where the person is not in this organization (any more), or is suspended.
-- Works as the tenant role, for which row-level security decides.
create or replace function open_turn(
  organization text,
  person text,
  named_conversation text,
  new_conversation text,
  new_message text,
  request text,
  question text,
  -- What the turn may use, until it is settled; null where it counts against no budget.
  reservation text,
  estimated_tokens int,
  person_budget bigint,
  organization_budget bigint
) returns jsonb language plpgsql set role = 'advisory_chat_tenant' as $$
  declare
    conversation text;
    facts jsonb;
    moment timestamptz;
    person_until timestamptz;
    organization_until timestamptz;
  begin
    perform set_config('advisory_chat.org_id', organization, true);

    -- A deletion locks the person first, too: without this lock it could wait for the conversation while this waits for
    -- the membership.
    perform from users where id = person and org_id = organization and suspended_at is null for key share;
    if not found then return null; end if;

    -- Turns of one budget are opened one after the other. All take the organization's lock first, so no two can wait for
    -- each other.
    if organization_budget is not null then
      perform pg_advisory_xact_lock(521, hashtext(organization));
    end if;
    if person_budget is not null then
      perform pg_advisory_xact_lock(522, hashtext(person));
    end if;
    moment := clock_timestamp();

    -- What an earlier call with the same ids has reserved must not refuse this one.
    if reservation is not null
        and not exists (select from token_uses where id = reservation and org_id = organization) then
      delete from token_uses
        where user_id = person and org_id = organization and used_at <= moment - interval '24 hours';
      -- The process of such a turn ended without settling it: no turn lasts an hour. One that is settled after all counts.
      update token_uses set tokens = 0, settled = true
        where id in (
          select id from token_uses
            where org_id = organization and not settled and used_at <= moment - interval '1 hour'
              and (organization_budget is not null or user_id = person)
            for update skip locked);

      -- Until when so many of the newest uses count that they reach the budget; null where all of them do not.
      if person_budget is not null then
        person_until := (
          select used_at + interval '24 hours'
            from (
              select used_at, sum(tokens) over (order by used_at desc rows unbounded preceding) as used
                from token_uses
                where user_id = person and org_id = organization and used_at > moment - interval '24 hours'
            ) uses
            where used >= person_budget order by used_at desc limit 1);
      end if;
      if organization_budget is not null then
        organization_until := (
          select used_at + interval '24 hours'
            from (
              select used_at, sum(tokens) over (order by used_at desc rows unbounded preceding) as used
                from token_uses where org_id = organization and used_at > moment - interval '24 hours'
            ) uses
            where used >= organization_budget order by used_at desc limit 1);
      end if;
      if person_until is not null or organization_until is not null then
        return jsonb_build_object('refused', jsonb_build_object(
          'whose', case when person_until is null or organization_until > person_until
            then 'organization' else 'user' end,
          'retryAfterSeconds',
            ceil(extract(epoch from greatest(person_until, organization_until) - moment))::int));
      end if;
    end if;

    select jsonb_build_object(
        -- Whatever an organization and a person say of themselves: the prompt takes what it knows.
        'organization', to_jsonb(organizations) - '{id, created_at}'::text[],
        'user', to_jsonb(users)
          - '{id, org_id, email, email_verified, onboarded_at, suspended_at, created_at}'::text[],
        'engagement', case when week is not null then jsonb_build_object(
          'week', week, 'hypotheses', hypotheses, 'unknowns', unknowns, 'findings', findings
        ) || jsonb_strip_nulls(jsonb_build_object('focus', focus)) end)
      into facts
      from users
        join organizations on organizations.id = users.org_id
        left join engagement_states state on state.user_id = users.id and state.org_id = users.org_id
      where users.id = person and users.org_id = organization;
    -- A move does not wait for the lock.
    if facts is null then return null; end if;

    -- Locked until the question is written, so that two requests with one id see each other's row.
    select id into conversation from conversations
      where id = named_conversation and user_id = person and org_id = organization
      for no key update;
    if conversation is null then
      conversation := new_conversation;
      -- An earlier call with the same ids has made it, or is about to: this one waits until that one is over.
      insert into conversations (id, org_id, user_id) values (conversation, organization, person)
        on conflict (id) do nothing;
    end if;

    insert into chat_messages (id, org_id, user_id, conversation_id, role, request_id, content)
      select new_message, organization, person, conversation, 'USER', request, question
        where not exists (select from chat_messages where id = new_message and org_id = organization)
          and not exists (
            select from (
                select role, request_id, content from chat_messages
                  where conversation_id = conversation and org_id = organization
                  order by position desc limit 1
              ) last_message
              where role = 'USER' and request_id = request and content = question);

    -- The facts go into the prompt, and are known only now: four bytes make a token.
    if reservation is not null then
      insert into token_uses (id, org_id, user_id, tokens, used_at)
        values (reservation, organization, person, estimated_tokens + ceil(octet_length(facts::text) / 4.0), moment)
        on conflict (id) do nothing;
    end if;
    return jsonb_build_object('conversationId', conversation, 'facts', facts);
  end $$
