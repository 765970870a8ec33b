import { Migration } from '@mikro-orm/migrations';
import { tenantRole } from '../tenant.ts';
import { pinFunction } from './pin-function.ts';

/** Until when so many of the newest uses count that they reach `budget`; null where all of them do not. */
const usedUpUntil = (whose: string, budget: string) => `
  select used_at + interval '24 hours'
    from (
      select used_at, sum(tokens) over (order by used_at desc rows unbounded preceding) as used
        from token_uses where ${whose} and used_at > moment - interval '24 hours'
    ) uses
    where used >= ${budget} order by used_at desc limit 1`;

const questionParameters = `
  organization text,
  person text,
  named_conversation text,
  new_conversation text,
  new_message text,
  request text,
  question text`;

const asTenant = `language plpgsql set role = '${tenantRole}' set lock_timeout = '10s'`;

/**
 * A question is written once however often it is opened with the same id, and where it repeats the last message of the
 * named conversation. A turn looks at no other message, so what others have sent costs it nothing. The release before still
 * calls the other functions of repeated turns and needs their table. They can be dropped when it serves nowhere.
 */
export class QuestionsOnceMigration extends Migration {
  override up(): void {
    this.addSql(`create or replace function open_turn(${questionParameters}) returns jsonb ${asTenant} as $$
      declare
        conversation text;
        facts jsonb;
      begin
        perform set_config('advisory_chat.org_id', organization, true);

        select jsonb_build_object(
            'organization', jsonb_build_object('name', organizations.name, 'industry', industry, 'size', size),
            'user', jsonb_build_object('name', users.name, 'role', users.role),
            'engagement', case when week is not null then jsonb_build_object(
              'week', week, 'hypotheses', hypotheses, 'unknowns', unknowns, 'findings', findings
            ) || jsonb_strip_nulls(jsonb_build_object('focus', focus)) end)
          into strict facts
          from users
            join organizations on organizations.id = users.org_id
            left join engagement_states state on state.user_id = users.id and state.org_id = users.org_id
          where users.id = person and users.org_id = organization;

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

        -- The release before also reads the name of the attempt, and whether it has to take over from another.
        return jsonb_build_object('conversationId', conversation, 'facts', facts,
          'attempt', new_message || ' ' || new_message, 'repeated', false);
      end $$`);
    pinFunction(this, 'open_turn(text, text, text, text, text, text, text)');

    this.addSql(`create or replace function open_budgeted_turn(${questionParameters},
      reservation text,
      estimated_tokens int,
      person_budget bigint,
      organization_budget bigint
    ) returns jsonb ${asTenant} as $$
      declare
        moment timestamptz;
        person_until timestamptz;
        organization_until timestamptz;
        opened jsonb;
      begin
        perform set_config('advisory_chat.org_id', organization, true);

        -- Turns of one budget are opened one after the other. All take the organization's lock first: no two can wait
        -- for each other.
        if organization_budget is not null then
          perform pg_advisory_xact_lock(521, hashtext(organization));
        end if;
        if person_budget is not null then
          perform pg_advisory_xact_lock(522, hashtext(person));
        end if;
        moment := clock_timestamp();

        -- What an earlier call with the same ids has reserved must not refuse this one.
        if not exists (select from token_uses where id = reservation and org_id = organization) then
          delete from token_uses
            where user_id = person and org_id = organization and used_at <= moment - interval '24 hours';

          if person_budget is not null then
            person_until := (${usedUpUntil('user_id = person and org_id = organization', 'person_budget')});
          end if;
          if organization_budget is not null then
            organization_until := (${usedUpUntil('org_id = organization', 'organization_budget')});
          end if;
          if person_until is not null or organization_until is not null then
            return jsonb_build_object('refused', jsonb_build_object(
              'whose', case when person_until is null or organization_until > person_until
                then 'organization' else 'user' end,
              'retryAfterSeconds',
                ceil(extract(epoch from greatest(person_until, organization_until) - moment))::int));
          end if;
        end if;

        opened := open_turn(
          organization => organization,
          person => person,
          named_conversation => named_conversation,
          new_conversation => new_conversation,
          new_message => new_message,
          request => request,
          question => question);

        -- The facts go into the prompt, and are known only now: four bytes make a token.
        insert into token_uses (id, org_id, user_id, tokens, used_at)
          values (reservation, organization, person,
            estimated_tokens + ceil(octet_length(opened ->> 'facts') / 4.0), moment)
          on conflict (id) do nothing;
        return opened;
      end $$`);
    pinFunction(this, 'open_budgeted_turn(text, text, text, text, text, text, text, text, int, bigint, bigint)');

    // Only the search for repeated questions went by it.
    this.addSql('drop index chat_messages_user_id_created_at_index');
  }
}
