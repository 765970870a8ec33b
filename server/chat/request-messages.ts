import { messageSchema } from '../../shared/chat-requests.ts';
import type { Message } from '../../shared/messages.ts';
import { AppError, HttpError } from '../app-error.ts';

/** The limit for the elements of `messages`, and for the content blocks in all of them together. */
export const maxMessages = 2_000;

export type LiveRequest = { messages: Message[]; question: Message; conversationId: unknown };

/**
 * Validates the body of a live request and drops unknown fields.
 * @throws HttpError 413 above `maxMessages`
 * @throws AppError `MISSING_MESSAGES`, or `LAST_MESSAGE_NOT_USER` if the last element has another role
 */
export function parseLiveRequest(body: unknown): LiveRequest {
  const elements = boundedElements(body);
  const earlier = elements.slice(0, -1).map(parseMessage);
  const last = elements.at(-1);
  if (hasOtherRole(last)) throw new AppError('LAST_MESSAGE_NOT_USER');
  const question = parseMessage(last);
  return { messages: [...earlier, question], question, conversationId: fieldsOf(body).conversationId };
}

function parseMessage(element: unknown): Message {
  const { data: message } = messageSchema.safeParse(element);
  if (message === undefined) throw new AppError('MISSING_MESSAGES');
  return message;
}

/**
 * Validates the body of a demo request and drops unknown fields.
 * @throws HttpError 413 above `maxMessages`
 * @throws AppError `MISSING_MESSAGES` if there is no non-empty array; `UPSTREAM_BAD_REQUEST`, as from the provider, if
 * an element is malformed
 */
export function parseDemoMessages(body: unknown): Message[] {
  const messages: Message[] = [];
  for (const [index, element] of boundedElements(body).entries()) {
    const { data: message } = messageSchema.safeParse(element);
    if (message === undefined) {
      const cause = new Error(`Element ${index} of messages is not a text message of the user or the assistant.`);
      throw new AppError('UPSTREAM_BAD_REQUEST', { cause });
    }
    messages.push(message);
  }
  return messages;
}

/**
 * Elements and blocks are counted before any is parsed, and parsing stops at the first malformed element: a schema
 * reports every issue, and a small body can have hundreds of thousands of them.
 */
function boundedElements(body: unknown): readonly unknown[] {
  const { messages } = fieldsOf(body);
  if (!Array.isArray(messages) || messages.length === 0) throw new AppError('MISSING_MESSAGES');
  if (messages.length > maxMessages) throw new HttpError(413, `The request has more than ${maxMessages} messages.`);
  let blocks = 0;
  for (const message of messages) {
    const { content } = fieldsOf(message);
    if (Array.isArray(content)) blocks += content.length;
  }
  if (blocks > maxMessages) {
    throw new HttpError(413, `The messages have more than ${maxMessages} content blocks in total.`);
  }
  return messages;
}

function hasOtherRole(element: unknown): boolean {
  const { role } = fieldsOf(element);
  return typeof role === 'string' && role !== 'user';
}

/** Returns an empty object for anything but an object. */
function fieldsOf(value: unknown): { messages?: unknown; conversationId?: unknown; role?: unknown; content?: unknown } {
  return typeof value === 'object' && value !== null ? value : {};
}
