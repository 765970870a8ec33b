import * as z from 'zod/mini';
import type { ErrorCode } from './errors.ts';
import { type Message, notBlank } from './messages.ts';

// The provider refuses a lone surrogate.
const textSchema = z.string().check(
  z.overwrite((text) => text.toWellFormed()),
  z.regex(notBlank),
);

export const textBlockSchema = z.object({ type: z.literal('text'), text: textSchema });

export const messageSchema = z.object({
  role: z.enum(['user', 'assistant']),
  content: z.union([textSchema, z.array(textBlockSchema).check(z.minLength(1))]),
}) satisfies z.ZodMiniType<Message>;

const messagesSchema = z.array(messageSchema).check(z.minLength(1));

/** The body of a demo request. The specification has no check of the last role for demo chat. */
export const demoRequestSchema = z.object({ messages: messagesSchema });

/**
 * The body of a live request. The schema omits two rules: the last message must have the role `user`, and the server treats a
 * `conversationId` that is not a string as an unknown id.
 */
export const liveRequestSchema = z.object({ messages: messagesSchema, conversationId: z.optional(z.string()) });

/** The limit for the elements of `messages`, and for the content blocks in all of them together. */
export const maxMessages = 2_000;

/** The sentences of 413 for the messages of a body, by their names in openapi.yaml. */
export const tooManySentences = {
  'too-many-messages': `The request has more than ${maxMessages} messages.`,
  'too-many-blocks': `The messages have more than ${maxMessages} content blocks in total.`,
} as const;

export type ExceededBound = keyof typeof tooManySentences;

/** The error of a refused body. 413 has no code. `detail` is for the log. */
export type Refusal = { code: ErrorCode; detail?: string } | { status: 413; sentence: string };

type ReadResult<Fields> = (Fields & { refusal?: never }) | ({ refusal: Refusal } & { [Name in keyof Fields]?: never });

export type LiveRequest = { messages: Message[]; question: Message; conversationId: unknown };

/** Validates the body of a live request and drops unknown fields. */
export function readLiveRequest(body: unknown): ReadResult<LiveRequest> {
  const { elements, refusal } = boundedElements(body);
  if (refusal) return { refusal };
  const messages: Message[] = [];
  for (const [index, element] of elements.entries()) {
    const isLast = index === elements.length - 1;
    if (isLast && hasOtherRole(element)) return { refusal: { code: 'LAST_MESSAGE_NOT_USER' } };
    const { data: message } = messageSchema.safeParse(element);
    if (message === undefined) return { refusal: { code: 'MISSING_MESSAGES' } };
    messages.push(message);
  }
  const question = messages.at(-1);
  if (question === undefined) return { refusal: { code: 'MISSING_MESSAGES' } };
  return { messages, question, conversationId: fieldsOf(body).conversationId };
}

/** Validates the body of a demo request and drops unknown fields. A malformed message fails like one that the provider rejects. */
export function readDemoRequest(body: unknown): ReadResult<{ messages: Message[] }> {
  const { elements, refusal } = boundedElements(body);
  if (refusal) return { refusal };
  const messages: Message[] = [];
  for (const [index, element] of elements.entries()) {
    const { data: message } = messageSchema.safeParse(element);
    if (message === undefined) {
      const detail = `Element ${index} of messages is not a text message of the user or the assistant.`;
      return { refusal: { code: 'UPSTREAM_BAD_REQUEST', detail } };
    }
    messages.push(message);
  }
  return { messages };
}

/**
 * Elements and blocks are counted before any is parsed, and parsing stops at the first malformed element: a schema
 * reports every issue, and a small body can have hundreds of thousands of them.
 */
function boundedElements(body: unknown): ReadResult<{ elements: readonly unknown[] }> {
  const { messages } = fieldsOf(body);
  if (!Array.isArray(messages) || messages.length === 0) return { refusal: { code: 'MISSING_MESSAGES' } };
  if (messages.length > maxMessages) return tooLarge('too-many-messages');
  let blocks = 0;
  for (const message of messages) {
    const { content } = fieldsOf(message);
    if (Array.isArray(content)) blocks += content.length;
  }
  if (blocks > maxMessages) return tooLarge('too-many-blocks');
  return { elements: messages };
}

const tooLarge = (name: ExceededBound) => ({ refusal: { status: 413, sentence: tooManySentences[name] } as const });

function hasOtherRole(element: unknown): boolean {
  const { role } = fieldsOf(element);
  return typeof role === 'string' && role !== 'user';
}

/** Returns an empty object for anything but an object. */
function fieldsOf(value: unknown): {
  messages?: unknown;
  conversationId?: unknown;
  role?: unknown;
  content?: unknown;
} {
  return typeof value === 'object' && value !== null ? value : {};
}
