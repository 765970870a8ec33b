import type { Mutation } from '../mutation.ts';

export const conversations: readonly Mutation[] = [
  {
    name: "Without an id, the user's latest conversation goes on",
    file: 'server/database/turns.ts',
    find: "const name = question.again ? 'reopen_turn' : 'open_turn';",
    replace:
      "const latest = 'select id from conversations where user_id = $1 order by created_at desc limit 1';\n      if (question.conversationId === undefined) question.conversationId = (await client.query<{ id: string }>(latest, [question.userId])).rows[0]?.id;\n      const name = question.again ? 'reopen_turn' : 'open_turn';",
    rows: [75],
  },
  {
    name: 'Every turn begins a conversation',
    file: 'server/database/turns.ts',
    find: 'isId(conversationId) ? conversationId : null',
    replace: 'null',
    rows: [24, 76, 83, 90],
  },
  {
    name: 'A conversation that is not found is begun under the id that was asked for',
    file: 'server/database/turns.ts',
    find: 'new_conversation: newIds.conversation,',
    replace: 'new_conversation: isId(conversationId) ? conversationId : newIds.conversation,',
    rows: [77, 78, 79, 81, 82, 83],
  },
  {
    name: 'A conversation is found by its id alone, whosever it is',
    file: 'server/database/migrations/2026-11-24-repeated-turns.ts',
    find: 'where id = named_conversation and user_id = person and',
    replace: 'where id = named_conversation and',
    rows: [78, 81, 82],
  },
  {
    name: 'An id in an array is an id',
    file: 'server/database/ids.ts',
    find: "typeof value === 'string' && /^c[a-z0-9]{24}$/.test(value)",
    replace: '/^c[a-z0-9]{24}$/.test(String(value))',
    rows: [80],
  },
];
