import type { Mutation } from '../mutation.ts';

export const whatIsStored: readonly Mutation[] = [
  {
    name: 'The question is not stored',
    file: 'server/database/migrations/2026-11-24-repeated-turns.ts',
    find: "values (new_message, organization, person, conversation, 'USER', request, question);",
    replace: "select new_message, organization, person, conversation, 'USER', request, question where false;",
    rows: [75, 76, 77, 78, 79, 80, 83, 84, 85, 86, 88, 89, 92],
  },
  {
    name: 'All messages of a request are stored as the question',
    file: 'server/chat/live-route.ts',
    find: 'content: messageText(question),',
    replace: "content: messages.map(messageText).join('\\n\\n'),",
    rows: [86],
  },
  {
    name: 'A retry stores the question again',
    file: 'server/database/migrations/2026-11-24-repeated-turns.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text as it stands in the file
    find: 'if asked.id is null or ${hasWholeAnswer} then',
    replace: 'if true then',
    rows: [92],
  },
  {
    name: 'The answer is stored twice',
    file: 'server/database/migrations/2026-11-21-turns.ts',
    find: 'on conflict (id) do nothing;',
    replace:
      "on conflict (id) do nothing;\n        insert into chat_messages (id, org_id, user_id, conversation_id, role, request_id, content)\n          values (new_message || '2', organization, person, conversation, 'ASSISTANT', request, answer);",
    rows: [75, 76, 77, 78, 79, 80, 83, 86, 87, 92],
  },
  {
    name: "The provider's last count of tokens is overheard",
    file: 'server/model/reply-progress.ts',
    find: 'progress.usage = updatedUsage(progress.usage, usage);',
    replace: 'void usage;',
    rows: [88],
  },
  {
    name: 'The model is stored as configured, whichever answered',
    file: 'server/model/reply-progress.ts',
    find: 'progress.model = message.model;',
    replace: '',
    rows: [89],
  },
  {
    name: 'lastMessageAt stays where it was',
    file: 'server/database/migrations/2026-11-21-turns.ts',
    find: 'set last_message_at = now()',
    replace: 'set status = status',
    rows: [90],
  },
  {
    name: 'A turn moves the engagement on by a week',
    file: 'server/database/migrations/2026-11-21-turns.ts',
    find: 'update conversations set last_message_at',
    replace:
      'update engagement_states set week = week + 1 where user_id = person;\n          update conversations set last_message_at',
    rows: [54, 91],
  },
];
