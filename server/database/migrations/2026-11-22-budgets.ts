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

/** What the functions with a budget call in turn, as the tenant role. */
const settleTurn = 'settle_turn(text, text, int)';
const openTurn = 'open_turn(text, text, text, text, text, text, text)';
const closeTurn = 'close_turn(text, text, text, text, text, text, int, int, int, int, text, text, text)';

const questionParameters = `
  organization text,
  person text,
  named_conversation text,
  new_conversation text,
  new_message text,
  request text,
  question text`;

const answerParameters = `
  organization text,
  person text,
  conversation text,
  new_message text,
  request text,
  answer text,
  input int,
  output int,
  cache_read int,
  cache_create int,
  stopped_by text,
  answered_by text,
  prompt text`;

/**
 * What each turn has used of its person's and its organization's budget, and how a turn is opened and closed where there
 * is one. Around the functions of a turn, which do the rest, and all there is to do where there is none.
 */
export class BudgetsMigration extends Migration {
  override up(): void {
    this.addSql(`create table token_uses (
      id text primary key,
      org_id text not null,
      user_id text not null,
      tokens int not null,
      settled boolean not null default false,
      used_at timestamptz not null,
      constraint token_uses_membership_foreign
        foreign key (user_id, org_id) references memberships (user_id, org_id) on delete cascade
    )`);
    this.addSql(`create index token_uses_user_id_org_id_used_at_index
      on token_uses (user_id, org_id, used_at) include (tokens)`);
    this.addSql('create index token_uses_org_id_used_at_index on token_uses (org_id, used_at) include (tokens)');
    this.addSql('alter table token_uses enable row level security');
    this.addSql('alter table token_uses force row level security');
    this.addSql(`create policy token_uses_tenant_policy on token_uses
      using (org_id = current_setting('advisory_chat.org_id'))`);
    this.addSql(`create policy token_uses_owner_policy on token_uses
      using (current_setting('advisory_chat.across_tenants', true) = 'yes'
        and current_user = (select pg_get_userbyid(relowner) from pg_class where oid = 'token_uses'::regclass))`);
    this.addSql(`grant select, insert, update, delete on token_uses to ${tenantRole}`);

    this.addSql(`create function settle_turn(organization text, reservation text, used_tokens int)
      returns void language plpgsql set role = '${tenantRole}' as $$
      begin
        perform set_config('advisory_chat.org_id', organization, true);
        update token_uses set tokens = used_tokens, settled = true
          where id = reservation and org_id = organization;
      end $$`);

    this.addSql(`create function open_budgeted_turn(${questionParameters},
      reservation text,
      estimated_tokens int,
      person_budget bigint,
      organization_budget bigint
    ) returns jsonb language plpgsql set role = '${tenantRole}' as $$
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

        opened := open_turn(
          organization => organization,
          person => person,
          named_conversation => named_conversation,
          new_conversation => new_conversation,
          new_message => new_message,
          request => request,
          question => question);

        -- The facts go into the prompt, and are known only now: four characters make a token.
        insert into token_uses (id, org_id, user_id, tokens, used_at)
          values (reservation, organization, person,
            estimated_tokens + ceil(length(opened ->> 'facts') / 4.0), moment);
        return opened;
      end $$`);

    this.addSql(`create function close_budgeted_turn(${answerParameters},
      reservation text,
      used_tokens int
    ) returns void language plpgsql set role = '${tenantRole}' as $$
      begin
        perform settle_turn(organization => organization, reservation => reservation, used_tokens => used_tokens);
        perform close_turn(
          organization => organization,
          person => person,
          conversation => conversation,
          new_message => new_message,
          request => request,
          answer => answer,
          input => input,
          output => output,
          cache_read => cache_read,
          cache_create => cache_create,
          stopped_by => stopped_by,
          answered_by => answered_by,
          prompt => prompt);
      end $$`);

    pinFunction(this, settleTurn);
    pinFunction(this, 'open_budgeted_turn(text, text, text, text, text, text, text, text, int, bigint, bigint)');
    pinFunction(
      this,
      'close_budgeted_turn(text, text, text, text, text, text, int, int, int, int, text, text, text, text, int)',
    );
    for (const inner of [settleTurn, openTurn, closeTurn]) {
      this.addSql(`grant execute on function ${inner} to ${tenantRole}`);
    }
  }
}
