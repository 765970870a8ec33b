import { tenantRole } from '../tenant.ts';
import { IndexMigration } from './index-migration.ts';
import { pinFunction } from './pin-function.ts';

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
  prompt text,
  turn_attempt text`;

const answerArguments = `
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
  prompt => prompt`;

const asTenant = `language plpgsql set role = '${tenantRole}' set lock_timeout = '10s'`;

const answerTypes = `${'text, '.repeat(6)}${'int, '.repeat(4)}text, text, text, text`;
const dropCutAnswer = 'drop_cut_answer(text, text, text, text)';
const closeTurn = `close_turn(${answerTypes})`;

/** Of the question `asked`. What was cut short is no whole answer: that of a repeated turn replaces it. */
const hasWholeAnswer = `exists (
  select from chat_messages answer
    where answer.conversation_id = asked.conversation_id and answer.org_id = organization
      and answer.position > asked.position and answer.role = 'ASSISTANT'
      and answer.request_id = asked.request_id and answer.stop_reason is not null)`;

/**
 * A turn that is sent again with its request id goes on in the conversation of the first attempt, named or not. An attempt
 * is named by its question's id and an id of its own. A repeated one takes the question over: the answer of any other is
 * not stored then.
 */
export class RepeatedTurnsMigration extends IndexMigration {
  override async up(): Promise<void> {
    await this.addIndex({
      name: 'chat_messages_user_id_created_at_index',
      table: 'chat_messages',
      on: "(user_id, created_at) where role = 'USER'",
    });
    this.addTable();
    this.replaceOpenTurn();
    this.addTakeOverTurn();
    this.addCloseTurn();
    this.addSupersededAttempts();
  }

  /** Apart from the messages, which nobody changes once they are written. */
  private addTable(): void {
    this.addSql(`create table repeated_turns (
      question text primary key,
      org_id text not null,
      user_id text not null,
      attempt text not null,
      repeated_at timestamptz not null,
      constraint repeated_turns_membership_foreign
        foreign key (user_id, org_id) references memberships (user_id, org_id) on delete cascade
    )`);
    this.addSql('create index repeated_turns_user_id_org_id_index on repeated_turns (user_id, org_id)');
    this.addSql('alter table repeated_turns enable row level security');
    this.addSql('alter table repeated_turns force row level security');
    this.addSql(`create policy repeated_turns_tenant_policy on repeated_turns
      using (org_id = current_setting('advisory_chat.org_id'))`);
    this.addSql(`create policy repeated_turns_owner_policy on repeated_turns
      using (current_setting('advisory_chat.across_tenants', true) = 'yes'
        and current_user = (select pg_get_userbyid(relowner) from pg_class where oid = 'repeated_turns'::regclass))`);
    this.addSql(`grant select, insert, update, delete on repeated_turns to ${tenantRole}`);
  }

  private replaceOpenTurn(): void {
    this.addSql(`create or replace function open_turn(
      organization text,
      person text,
      named_conversation text,
      new_conversation text,
      new_message text,
      request text,
      question text
    ) returns jsonb ${asTenant} as $$
      declare
        conversation text;
        asked chat_messages;
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

        if conversation is not null then
          select * into asked from chat_messages
            where conversation_id = conversation and org_id = organization and role = 'USER'
            order by position desc limit 1;
          if (asked.request_id, asked.content) is distinct from (request, question) then asked := null; end if;
        else
          -- Two requests with one id and no conversation: the second waits here, and then finds the first one's.
          perform pg_advisory_xact_lock(524, hashtext(person || ' ' || request));
        end if;
        if asked.id is null then
          select * into asked from chat_messages
            where user_id = person and org_id = organization and role = 'USER'
              and created_at > now() - interval '10 minutes'
              and conversation_id = coalesce(conversation, conversation_id)
              and request_id = request and content = question
            order by created_at desc, position desc limit 1;
        end if;

        if asked.id is null or ${hasWholeAnswer} then
          if conversation is null then
            conversation := new_conversation;
            insert into conversations (id, org_id, user_id) values (conversation, organization, person);
          end if;
          insert into chat_messages (id, org_id, user_id, conversation_id, role, request_id, content)
            values (new_message, organization, person, conversation, 'USER', request, question);
          asked.id := new_message;
        else
          conversation := asked.conversation_id;
        end if;

        return jsonb_build_object(
          'conversationId', conversation, 'attempt', asked.id || ' ' || new_message,
          'repeated', asked.id <> new_message, 'facts', facts);
      end $$`);
    pinFunction(this, 'open_turn(text, text, text, text, text, text, text)');
  }

  private addTakeOverTurn(): void {
    this.addSql(`create function take_over_turn(organization text, turn_attempt text) returns boolean ${asTenant} as $$
      declare
        asked chat_messages;
      begin
        perform set_config('advisory_chat.org_id', organization, true);
        select * into strict asked from chat_messages
          where id = split_part(turn_attempt, ' ', 1) and org_id = organization;
        -- Where an earlier attempt is storing its answer right now: until it has done so.
        perform from conversations where id = asked.conversation_id and org_id = organization for no key update;
        if ${hasWholeAnswer} then return false; end if;
        -- No reply takes that long.
        delete from repeated_turns
          where user_id = asked.user_id and org_id = organization and repeated_at < now() - interval '1 day';
        insert into repeated_turns (question, org_id, user_id, attempt, repeated_at)
          values (asked.id, organization, asked.user_id, turn_attempt, now())
          on conflict on constraint repeated_turns_pkey
            do update set attempt = excluded.attempt, repeated_at = excluded.repeated_at;
        return true;
      end $$`);
    pinFunction(this, 'take_over_turn(text, text)');
  }

  /** Around what the release before calls, and with its name. */
  private addCloseTurn(): void {
    // The only way for the login that serves to delete a message: one that is no whole answer.
    this.addSql(`create function drop_cut_answer(organization text, conversation text, question text, request text)
      returns void language plpgsql security definer set lock_timeout = '10s' as $$
      begin
        perform set_config('advisory_chat.org_id', organization, true);
        delete from chat_messages answer using chat_messages asked
          where asked.id = question and asked.org_id = organization and asked.role = 'USER'
            and answer.conversation_id = conversation and answer.org_id = organization
            and answer.conversation_id = asked.conversation_id and answer.position > asked.position
            and answer.role = 'ASSISTANT' and answer.request_id = request and answer.stop_reason is null;
      end $$`);
    pinFunction(this, dropCutAnswer);

    this.addSql(`create function close_turn(${answerParameters}) returns void ${asTenant} as $$
      declare
        asked text := split_part(turn_attempt, ' ', 1);
      begin
        perform set_config('advisory_chat.org_id', organization, true);
        -- Until the answer is written the question is not repeated.
        perform from conversations where id = conversation and org_id = organization for no key update;
        if exists (
          select from repeated_turns where question = asked and org_id = organization and attempt <> turn_attempt
        ) then
          return;
        end if;
        -- Once committed, the answer is not taken back by its own repetition.
        if asked <> split_part(turn_attempt, ' ', 2)
            and not exists (select from chat_messages where id = new_message and org_id = organization) then
          perform drop_cut_answer(organization, conversation, asked, request);
        end if;
        perform close_turn(${answerArguments});
      end $$`);
    pinFunction(this, closeTurn);

    const closeBudgetedTurn = `close_budgeted_turn(${answerTypes}, text, int)`;
    this.addSql(`create function close_budgeted_turn(${answerParameters},
      reservation text,
      used_tokens int
    ) returns void ${asTenant} as $$
      begin
        perform settle_turn(organization => organization, reservation => reservation, used_tokens => used_tokens);
        perform close_turn(${answerArguments}, turn_attempt => turn_attempt);
      end $$`);
    pinFunction(this, closeBudgetedTurn);
    for (const inner of [dropCutAnswer, closeTurn]) {
      this.addSql(`grant execute on function ${inner} to ${tenantRole}`);
    }
  }

  private addSupersededAttempts(): void {
    this.addSql(`create function superseded_attempts(attempts json)
      returns json language plpgsql stable security definer set lock_timeout = '10s' set enable_seqscan = off as $$
      begin
        perform set_config('advisory_chat.across_tenants', 'yes', true), set_config('advisory_chat.org_id', '', true);
        return (
          select coalesce(json_agg(asked.attempt), '[]')
            from json_array_elements_text(attempts) as asked (attempt)
            -- One after the other: for a join of all of them the whole table would be read.
            where asked.attempt <> (
              select repeated_turns.attempt from repeated_turns where question = split_part(asked.attempt, ' ', 1)));
      end $$`);
    pinFunction(this, 'superseded_attempts(json)');
  }
}
