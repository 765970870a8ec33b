-- Commits a question, and the conversation if the question starts one, and returns the facts for the prompt. Reads only the last
-- message of the conversation, so the cost does not depend on the number of messages. Returns the exhausted budget if there is
-- one, and null if the user is suspended or not in this organization. Runs as the tenant role, to which row-level security
-- applies.
--
-- Row-level security makes the planner underestimate the number of rows, so it would read and sort all uses to find the oldest.
-- With sorts disabled, the estimated cost of the triggers' sorts would cause JIT compilation, which takes longer than the turn.
create or replace function open_turn(
  organization text,
  person text,
  named_conversation text,
  new_conversation text,
  new_message text,
  request text,
  question text,
  -- The id of the row in token_uses that counts the estimate until the turn is settled. Null if there is no budget.
  reservation text,
  estimated_tokens int,
  person_budget bigint,
  organization_budget bigint
) returns jsonb language plpgsql set role = 'advisory_chat_tenant' set enable_sort = off set jit = off as $$
  declare
    conversation text;
    facts jsonb;
    moment timestamptz;
    person_until timestamptz;
    organization_until timestamptz;
  begin
    -- A turn whose user is locked for more than a second, such as by a statement of an operator, must not hold its connection,
    -- which turns of other organizations need.
    perform set_config('advisory_chat.org_id', organization, true), set_config('lock_timeout', '1s', true);

    -- Locks the user before the membership and the conversation, as a deletion does. Otherwise, the deletion could wait for the
    -- conversation while this waits for the membership.
    perform from users where id = person and org_id = organization and suspended_at is null for key share;
    if not found then return null; end if;
    perform set_config('lock_timeout', '10s', true);

    -- Serializes turns that share a budget. The advisory lock of the organization comes before that of the user, to prevent
    -- deadlocks.
    if organization_budget is not null then
      perform pg_advisory_xact_lock(521, hashtext(organization));
    end if;
    if person_budget is not null then
      perform pg_advisory_xact_lock(522, hashtext(person));
    end if;
    moment := clock_timestamp();

    -- A reservation of an earlier call with the same ids must not cause a refusal.
    if reservation is not null
        and not exists (select from token_uses where id = reservation and org_id = organization) then
      -- The trigger count_token_uses keeps the sums. They also include uses that no longer count: those that are a day old, and
      -- those that have been unsettled for an hour, because no turn lasts that long, so the process has ended before it settled
      -- them. A sum below the budget therefore admits the turn. Otherwise, of the oldest uses that together bring the sum below
      -- the budget, the newest one expires at this time, and the budget is available again. This reads few uses, unless the
      -- budget was lowered.
      if person_budget <= (select tokens from member_token_sums where user_id = person and org_id = organization) then
        person_until := (
          select used_at + interval '24 hours'
            from (
              select used_at, tokens,
                  (select tokens from member_token_sums where user_id = person and org_id = organization)
                  - (select coalesce(sum(tokens), 0) from token_uses
                      where user_id = person and org_id = organization
                        and not settled and used_at <= moment - interval '1 hour')
                  - sum(tokens) over (order by used_at rows unbounded preceding) as remaining
                from (
                  select used_at, case when settled or used_at > moment - interval '1 hour' then tokens else 0 end as tokens
                    from token_uses where user_id = person and org_id = organization
                ) as counted
            ) as uses
            where remaining < person_budget and remaining + tokens >= person_budget order by used_at limit 1);
      end if;
      if organization_budget <= (select tokens from organization_token_sums where org_id = organization) then
        organization_until := (
          select used_at + interval '24 hours'
            from (
              select used_at, tokens,
                  (select tokens from organization_token_sums where org_id = organization)
                  - (select coalesce(sum(tokens), 0) from token_uses
                      where org_id = organization
                        and not settled and used_at <= moment - interval '1 hour')
                  - sum(tokens) over (order by used_at rows unbounded preceding) as remaining
                from (
                  select used_at, case when settled or used_at > moment - interval '1 hour' then tokens else 0 end as tokens
                    from token_uses where org_id = organization
                ) as counted
            ) as uses
            where remaining < organization_budget and remaining + tokens >= organization_budget order by used_at limit 1);
      end if;
      if greatest(person_until, organization_until) > moment then
        return jsonb_build_object('refused', jsonb_build_object(
          'whose', case when person_until is null or organization_until > person_until
            then 'organization' else 'user' end,
          'retryAfterSeconds',
            ceil(extract(epoch from greatest(person_until, organization_until) - moment))::int));
      end if;
    end if;

    select jsonb_build_object(
        -- All descriptive columns; the prompt selects those that it supports.
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
    -- An operator may have moved the user in spite of the lock, which only protects the key.
    if facts is null then return null; end if;

    -- Locks the conversation until the commit, so that a second request with the same id sees the first one's message.
    select id into conversation from conversations
      where id = named_conversation and user_id = person and org_id = organization
      for no key update;
    if conversation is null then
      conversation := new_conversation;
      -- On a conflict with an uncommitted row of an earlier call with the same ids, this waits for its commit.
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

    -- Locks the conversation before the sums, as close_turn does, to prevent deadlocks.
    if reservation is not null then
      -- Adds the facts, which become part of the prompt, to the estimate: one token per four bytes.
      insert into token_uses (id, org_id, user_id, tokens, used_at)
        values (reservation, organization, person, estimated_tokens + ceil(octet_length(facts::text) / 4.0), moment)
        on conflict (id) do nothing;
      -- Removes uses that no longer count from the sums, more than one per turn. The limit bounds the time of this turn. A later
      -- settlement of an unsettled use still counts.
      -- In an array, because a plan can execute a subquery of `in` once per row, each time with 20 other rows.
      delete from token_uses
        where id = any (array(
          select id from token_uses where org_id = organization and used_at <= moment - interval '24 hours'
            order by used_at limit 20 for update skip locked));
      update token_uses set tokens = 0, settled = true
        where id = any (array(
          select id from token_uses
            where org_id = organization and not settled and used_at <= moment - interval '1 hour'
            order by used_at limit 20 for update skip locked));
    end if;
    return jsonb_build_object('conversationId', conversation, 'facts', facts);
  end $$
