import { messageSchema } from './chat-requests.ts';
import type { ErrorCode } from './errors.ts';
import type { Message } from './messages.ts';

/** The limit for the elements of `messages`, and for the content blocks in all of them together. */
export const maxMessages = 2_000;

/** The error of a refused body. 413 has no code. `detail` is for the log. */
export type Refused = { code: ErrorCode; detail?: string } | { status: 413; sentence: string };

type Read = { messages: Message[]; refused?: never } | { refused: Refused };

/** Validates the messages of a live request and drops unknown fields. */
export function readLiveMessages(body: unknown): Read {
  const { elements, refused } = boundedElements(body);
  if (refused) return { refused };
  const messages: Message[] = [];
  for (const [index, element] of elements.entries()) {
    const isLast = index === elements.length - 1;
    if (isLast && hasOtherRole(element)) return { refused: { code: 'LAST_MESSAGE_NOT_USER' } };
    const { data: message } = messageSchema.safeParse(element);
    if (message === undefined) return { refused: { code: 'MISSING_MESSAGES' } };
    messages.push(message);
  }
  return { messages };
}

/** Validates the messages of a demo request and drops unknown fields. A malformed one fails like one that the provider rejects. */
export function readDemoMessages(body: unknown): Read {
  const { elements, refused } = boundedElements(body);
  if (refused) return { refused };
  const messages: Message[] = [];
  for (const [index, element] of elements.entries()) {
    const { data: message } = messageSchema.safeParse(element);
    if (message === undefined) {
      const detail = `Element ${index} of messages is not a text message of the user or the assistant.`;
      return { refused: { code: 'UPSTREAM_BAD_REQUEST', detail } };
    }
    messages.push(message);
  }
  return { messages };
}

/**
 * Elements and blocks are counted before any is parsed, and parsing stops at the first malformed element: a schema
 * reports every issue, and a small body can have hundreds of thousands of them.
 */
function boundedElements(
  body: unknown,
): { elements: readonly unknown[]; refused?: never } | { refused: Refused; elements?: never } {
  const { messages } = fieldsOf(body);
  if (!Array.isArray(messages) || messages.length === 0) return { refused: { code: 'MISSING_MESSAGES' } };
  if (messages.length > maxMessages) return tooLarge(`The request has more than ${maxMessages} messages.`);
  let blocks = 0;
  for (const message of messages) {
    const { content } = fieldsOf(message);
    if (Array.isArray(content)) blocks += content.length;
  }
  if (blocks > maxMessages) return tooLarge(`The messages have more than ${maxMessages} content blocks in total.`);
  return { elements: messages };
}

const tooLarge = (sentence: string) => ({ refused: { status: 413, sentence } as const });

function hasOtherRole(element: unknown): boolean {
  const { role } = fieldsOf(element);
  return typeof role === 'string' && role !== 'user';
}

/** Returns an empty object for anything but an object. */
export function fieldsOf(value: unknown): {
  messages?: unknown;
  conversationId?: unknown;
  role?: unknown;
  content?: unknown;
} {
  return typeof value === 'object' && value !== null ? value : {};
}
