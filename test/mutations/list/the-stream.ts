import type { Mutation } from '../mutation.ts';

export const theStream: readonly Mutation[] = [
  {
    name: 'Status and headers are sent before the first text',
    file: 'server/chat/exchange.ts',
    find: 'const pieces: string[] = [];',
    replace: "const pieces: string[] = [];\n  void reply.write('');",
    rows: [6, 15, 21, 22, 90, 92, 106, 108, 110, 111, 112, 113, 117, 118, 120],
  },
  {
    name: 'The Content-Type of a reply names no charset',
    file: 'server/http/replies/text-reply.ts',
    find: "'text/plain; charset=utf-8'",
    replace: "'text/plain'",
    rows: [24, 56, 65],
  },
  {
    name: 'Cache-Control permits proxies to transform a reply',
    file: 'server/http/replies/text-reply.ts',
    find: "'no-cache, no-transform'",
    replace: "'no-cache'",
    rows: [57],
  },
  {
    name: 'X-Accel-Buffering is not sent',
    file: 'server/http/replies/text-reply.ts',
    find: "  'X-Accel-Buffering': 'no',\n",
    replace: '',
    rows: [58],
  },
  {
    name: 'X-Prompt-Version is not sent',
    file: 'server/chat/live-route.ts',
    find: 'createTextReply(response, { [headers.promptVersion]: promptVersion })',
    replace: 'createTextReply(response)',
    rows: [59],
  },
  {
    name: 'Ids are a character short of a cuid',
    file: 'server/database/ids.ts',
    find: "'0123456789abcdefghijklmnopqrstuvwxyz', 24)",
    replace: "'0123456789abcdefghijklmnopqrstuvwxyz', 23)",
    rows: [24, 60, 76, 83, 90],
  },
  {
    name: 'Text is normalised',
    file: 'server/model/reply-progress.ts',
    find: 'return data.delta.text;',
    replace: "return data.delta.text.normalize('NFC');",
    rows: [61],
  },
  {
    name: 'A delta that ends in a space is sent in two chunks',
    file: 'server/http/replies/text-reply.ts',
    find: 'if (!response.write(text)) return room(response);',
    replace:
      "const parts = text.endsWith(' ') ? [text.slice(0, -1), ' '] : [text];\n      if (!parts.map((part) => response.write(part)).at(-1)) return room(response);",
    rows: [62, 64],
  },
  {
    name: 'A reply is sent when it is whole',
    file: 'server/http/replies/text-reply.ts',
    find: 'if (!response.write(text)) return room(response);',
    replace:
      "const held = response as any;\n      held.text ??= ((response.end = ((end) => (last = '') => end.call(response, held.text + last))(response.end) as any), '');\n      held.text += text;",
    rows: [62, 63, 65, 66, 115],
  },
  {
    name: 'Large pieces are compressed where the client takes that',
    file: 'server/http/replies/text-reply.ts',
    find: '      begin();\n      if (!response.write(text))',
    replace:
      "      const zip = text.length > 1000 && /gzip/.test(String(response.req.headers['accept-encoding']));\n      if (zip && !response.headersSent) headers['Content-Encoding'] = 'gzip';\n      begin();\n      if (!response.write(zip ? process.getBuiltinModule('node:zlib').gzipSync(text) : text))",
    rows: [64],
  },
  {
    name: 'Deltas of every type are text',
    file: 'server/model/reply-progress.ts',
    find: "    event.delta.type === 'text_delta' &&\n",
    replace: '',
    rows: [66],
  },
  {
    name: 'Each packet is decoded by itself',
    file: 'server/model/event-decoder.ts',
    find: 'text.write(bytes)',
    replace: 'bytes.toString()',
    rows: [67],
  },
  {
    name: 'Live chat asks for 2048 tokens',
    file: 'server/chat/live-route.ts',
    find: 'maxTokens = 4096',
    replace: 'maxTokens = 2048',
    rows: [68],
  },
  {
    name: 'The prompt has no L7',
    file: 'server/prompt/live-prompt.ts',
    find: '    systemBlock(boundaries),\n',
    replace: '',
    rows: [69, 71, 74],
  },
  {
    name: 'What is known of a person is read once and remembered',
    file: 'server/database/turns.ts',
    find: 'return callFunction<OpenedTurn>(client, name, opening(question), question.left);',
    replace:
      "const opened = await callFunction<OpenedTurn>(client, 'open_turn', opening(question));\n      const known = ((globalThis as any).known ??= new Map());\n      const whose = question.userId + question.orgId;\n      known.set(whose, known.get(whose) ?? opened.facts);\n      return { ...opened, facts: known.get(whose) };",
    rows: [70, 71],
  },
  {
    name: 'A caller without a state is a failure',
    file: 'server/database/migrations/2026-11-24-repeated-turns.ts',
    find: 'left join engagement_states',
    replace: 'join engagement_states',
    rows: [71, 73, 74, 78, 81, 82, 83],
  },
  {
    name: "A colleague's state will do",
    file: 'server/database/migrations/2026-11-24-repeated-turns.ts',
    find: 'on state.user_id = users.id and',
    replace: 'on state.user_id = (select max(any_state.user_id) from engagement_states any_state) and',
    rows: [72],
  },
  {
    name: 'Only the last message is sent on',
    file: 'server/chat/request-messages.ts',
    find: 'return { messages, question,',
    replace: 'return { messages: [question], question,',
    rows: [73],
  },
  {
    name: 'Where the database fails, live chat falls back to the demo context',
    file: 'server/chat/turn-opening.ts',
    find: 'await turns.open(opening)',
    replace:
      "await turns.open(opening).catch(async function () {\n        const { demoEngagement } = await import('../prompt/demo-engagement.ts');\n        return { conversationId: newIds.conversation, attempt: '', repeated: false, facts: { ...demoEngagement, user: { name: null, role: null }, engagement: null } };\n      })",
    rows: [6, 74],
  },
];
