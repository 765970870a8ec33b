import type { Hole } from '../hole.ts';

const requestBounds = 'test/server/chat/request-bounds.test.ts';
const demoRoute = 'test/server/chat/demo-route.test.ts';
const streamCeiling = 'test/server/chat/stream-ceiling.test.ts';
const requestMessages = 'server/chat/request-messages.ts';

/** What a request may cost, and what of it reaches the provider. */
export const bounds: readonly Hole[] = [
  {
    name: 'Any number of messages is judged',
    file: requestMessages,
    find: 'if (messages.length > most) throw',
    replace: 'if (messages.length > Infinity) throw',
    test: { file: requestBounds, title: 'liveRequest, of what it costs looks at no message where there are too many' },
  },
  {
    name: 'Any number of content blocks is judged',
    file: requestMessages,
    find: 'if (blocks > most) throw',
    replace: 'if (blocks > Infinity) throw',
    test: {
      file: requestBounds,
      title: 'demoMessages, of what it costs looks at no block where there are too many in all messages together',
    },
  },
  {
    name: 'Live chat looks at every message after the first that is malformed',
    file: requestMessages,
    find: "    if (message === undefined) throw new AppError('MISSING_MESSAGES');\n    messages.push(message);",
    replace: '    if (message !== undefined) messages.push(message);',
    test: {
      file: requestBounds,
      title: 'liveRequest, of what it costs looks at no message after the first that is malformed',
    },
  },
  {
    name: 'A block that is no text reaches the provider',
    file: requestMessages,
    find: "if (type !== 'text' || !isText(text)) return undefined;\n    blocks.push({ type, text });",
    replace: 'blocks.push(block as TextBlock);\n    void [type, text];',
    test: {
      file: 'test/server/chat/request-messages-property.test.ts',
      title: 'demoMessages judges any JSON by the same rules, but takes a last message of the assistant',
    },
  },
  {
    name: 'Fields reach the provider that no message has',
    file: requestMessages,
    find: 'if (isText(content)) return { role, content };',
    replace: 'if (isText(content)) return element as Message;',
    test: {
      file: 'test/server/chat/request-messages-property.test.ts',
      title: 'liveRequest judges any JSON by the rules alone, and drops every field that no message has',
    },
  },
  {
    name: 'One person takes all places',
    file: 'server/chat/stream-ceiling.ts',
    find: '>= most.perUser) {',
    replace: '>= Infinity) {',
    test: {
      file: streamCeiling,
      title:
        'the ceiling of streams of one person and of demo chat refuses one person in words of its own, and leaves the other places to others',
    },
  },
  {
    name: 'Demo chat takes all places',
    file: 'server/chat/stream-ceiling.ts',
    find: ">= most.demo) throw isFull('demo');",
    replace: ">= Infinity) throw isFull('demo');",
    test: {
      file: streamCeiling,
      title:
        'the ceiling of streams of one person and of demo chat refuses demo chat in words of its own, and leaves the other places to people',
    },
  },
  {
    name: 'A place is never free again',
    file: 'server/chat/stream-ceiling.ts',
    find: '      underWay -= 1;\n',
    replace: '',
    test: {
      file: streamCeiling,
      title: 'a place under the ceiling of streams is free again when the body was no JSON',
    },
  },
  {
    name: 'Demo chat looks at every message after the first that is malformed',
    file: requestMessages,
    find: '  for (const [index, element] of countedElements(body, maxMessages).entries()) {',
    replace:
      '  countedElements(body, maxMessages).map(messageOf);\n  for (const [index, element] of countedElements(body, maxMessages).entries()) {',
    test: {
      file: requestBounds,
      title: 'demoMessages, of what it costs looks at no message after the first that is malformed',
    },
  },
  {
    name: 'Every block of a message is looked at after the first that is malformed',
    file: requestMessages,
    find: '  const blocks: TextBlock[] = [];',
    replace:
      "  if (content.filter((block) => fieldsOf(block).type === 'image').length > 1) return undefined;\n  const blocks: TextBlock[] = [];",
    test: {
      file: requestBounds,
      title: 'liveRequest, of what it costs looks at no block after the first that is malformed',
    },
  },
  {
    name: 'Blocks are counted in each message alone',
    file: requestMessages,
    find: 'blocks += content.length;',
    replace: 'blocks = Math.max(blocks, content.length);',
    test: {
      file: requestBounds,
      title:
        'a request whose cost is bounded may have as many content blocks in all on demo chat, and not one more, whatever they are',
    },
  },
  {
    name: 'All fields of an object are copied, however many there are',
    file: requestMessages,
    find: '? value : {};',
    replace: '? { ...value } : {};',
    test: {
      file: requestBounds,
      title:
        'liveRequest, of what it costs looks at each message and each block a fixed number of times, however many there are',
    },
  },
  {
    name: 'The role system reaches the provider',
    file: requestMessages,
    find: "role !== 'user' && role !== 'assistant'",
    replace: "role !== 'user' && role !== 'assistant' && role !== 'system'",
    test: {
      file: demoRoute,
      title:
        'POST /api/chat/demo answers 502 to a message with the role system, first or last, and does not ask the provider',
    },
  },
  {
    name: 'Fields of a block reach the provider that no text has',
    file: requestMessages,
    find: 'blocks.push({ type, text });',
    replace: 'blocks.push({ ...(block as object), type, text });',
    test: {
      file: demoRoute,
      title: 'POST /api/chat/demo forwards text alone, as it was sent, and drops every other field',
    },
  },
  {
    name: "A person's place is never free again",
    file: 'server/chat/stream-ceiling.ts',
    find: '(underWayOf.get(holder) ?? 0) - 1;',
    replace: 'underWayOf.get(holder) ?? 0;',
    test: { file: streamCeiling, title: 'a place under the ceiling of streams is free again when the reply has ended' },
  },
  {
    name: 'Who finds no place has used up a request',
    file: 'server/chat/live-route.ts',
    find: '    ...guards,\n    limit,\n',
    replace: '    ...guards.slice(0, -1),\n    limit,\n    ...guards.slice(-1),\n',
    test: {
      file: streamCeiling,
      title: 'the ceiling of streams of one person and of demo chat counts a request that it refuses against no limit',
    },
  },
  {
    name: 'A compressed body is inflated for as long as it comes',
    file: 'server/http/requests/json-body.ts',
    find: "if (request.headers['content-encoding'] !== undefined) request.on",
    replace: "if (request.headers['content-encoding'] === 'never') request.on",
    test: {
      file: requestBounds,
      title: 'a request whose cost is bounded is bounded as it comes over the wire too, where it inflates to less',
    },
  },
  {
    name: 'Any charset is taken',
    file: 'server/http/requests/json-body.ts',
    find: '!otherCharset.test(',
    replace: '!/^never$/.test(',
    test: {
      file: requestBounds,
      title:
        'a request whose cost is bounded is read as UTF-8 alone: another charset costs more to read than the text to parse',
    },
  },
  {
    name: 'The page does not say what is full',
    file: 'client/chat/outcome.ts',
    find: '...Object.values(fullSentences), ',
    replace: '...Object.values(fullSentences).slice(0, 1), ',
    test: {
      file: 'test/client/chat/ask.test.ts',
      title: 'ask says what is full where the service said so, and nothing that others say',
    },
  },
  {
    name: 'The page replays more messages than a request may have',
    file: 'client/chat/history.ts',
    find: ' || remainingTurns < 0',
    replace: '',
    test: {
      file: 'test/client/chat/history.test.ts',
      title: 'requestMessages drops the oldest turns where there are more than go along, and says so',
    },
  },
];
