import type { Hole } from '../hole.ts';

const requestBounds = 'test/server/chat/request-bounds.test.ts';
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
    find: ">= most.perUser) throw isFull('user');",
    replace: ">= Infinity) throw isFull('user');",
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
];
