import { Migration } from '@mikro-orm/migrations';
import { tenantRole } from '../tenant.ts';

/**
 * Opening and closing a turn, each as one statement and so one transaction. Both run as the tenant role, and set the
 * organization first: row-level security decides in them as it does everywhere else.
 */
export class TurnsMigration extends Migration {
  override up(): void {
    this.addSql(`create function open_turn(
      organization text,
      person text,
      named_conversation text,
      new_conversation text,
      new_message text,
      request text,
      question text
    ) returns jsonb language plpgsql set role = '${tenantRole}' as $$
      declare
        conversation text;
        last_message chat_messages;
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
          insert into conversations (id, org_id, user_id) values (conversation, organization, person);
        else
          select * into last_message from chat_messages
            where conversation_id = conversation and org_id = organization
            order by position desc limit 1;
        end if;

        if (last_message.role, last_message.request_id, last_message.content)
            is distinct from ('USER', request, question) then
          insert into chat_messages (id, org_id, user_id, conversation_id, role, request_id, content)
            values (new_message, organization, person, conversation, 'USER', request, question);
        end if;

        return jsonb_build_object('conversationId', conversation, 'facts', facts);
      end $$`);

    this.addSql(`create function close_turn(
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
      prompt text
    ) returns void language plpgsql set role = '${tenantRole}' as $$
      begin
        perform set_config('advisory_chat.org_id', organization, true);

        insert into chat_messages (
            id, org_id, user_id, conversation_id, role, request_id, content, input_tokens, output_tokens,
            cache_read_tokens, cache_create_tokens, stop_reason, model, prompt_version)
          values (
            new_message, organization, person, conversation, 'ASSISTANT', request, answer, input, output,
            cache_read, cache_create, stopped_by, answered_by, prompt)
          on conflict (id) do nothing;

        -- Otherwise an earlier attempt was committed, and the word of it was lost.
        if found then
          update conversations set last_message_at = now() where id = conversation and org_id = organization;
        end if;
      end $$`);
  }
}
