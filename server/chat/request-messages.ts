import type { RequestHandler } from 'express';
import { messageSchema } from '../../shared/chat-requests.ts';
import type { Message } from '../../shared/messages.ts';
import { AppError, HttpError } from '../app-error.ts';
import { takeOnce } from '../take-once.ts';

export type LiveRequest = { messages: Message[]; question: Message; conversationId: unknown };

/** Replaces the parsed body of a live request by a function that returns its `LiveRequest` once. */
export function requireLiveMessages(maxMessages: number): RequestHandler<object> {
  return (request, _response, next) => {
    request.body = takeOnce(liveRequest(request.body, maxMessages));
    next();
  };
}

/** Replaces the parsed body of a demo request by a function that returns its messages once. */
export function requireDemoMessages(maxMessages: number): RequestHandler<object> {
  return (request, _response, next) => {
    request.body = takeOnce(demoMessages(request.body, maxMessages));
    next();
  };
}

/**
 * The turn that a live request asks for, unknown fields dropped. `maxMessages` bounds the messages, and the content
 * blocks of all of them together.
 * @throws HttpError 413 where there are more
 * @throws AppError `MISSING_MESSAGES`, or `LAST_MESSAGE_NOT_USER` where the last element has any other role
 */
export function liveRequest(body: unknown, maxMessages: number): LiveRequest {
  const elements = countedElements(body, maxMessages);
  const last = elements.length - 1;
  const messages: Message[] = [];
  for (const [index, element] of elements.entries()) {
    if (index === last && hasOtherRole(element)) throw new AppError('LAST_MESSAGE_NOT_USER');
    const { data: message } = messageSchema.safeParse(element);
    if (message === undefined) throw new AppError('MISSING_MESSAGES');
    messages.push(message);
  }
  const question = messages.at(-1);
  if (question === undefined) throw new AppError('MISSING_MESSAGES');
  return { messages, question, conversationId: fieldsOf(body).conversationId };
}

/**
 * The messages of a demo request, unknown fields dropped. `maxMessages` is as above.
 * @throws HttpError 413 where there are more
 * @throws AppError `MISSING_MESSAGES` where there is no non-empty array; `UPSTREAM_BAD_REQUEST`, as the provider would
 * call it, where an element of it is malformed
 */
export function demoMessages(body: unknown, maxMessages: number): Message[] {
  const messages: Message[] = [];
  for (const [index, element] of countedElements(body, maxMessages).entries()) {
    const { data: message } = messageSchema.safeParse(element);
    if (message === undefined) {
      const cause = new Error(`Element ${index} of messages is no text of the user or the assistant.`);
      throw new AppError('UPSTREAM_BAD_REQUEST', { cause });
    }
    messages.push(message);
  }
  return messages;
}

/**
 * The elements of `messages`. Elements and their blocks are counted before any is parsed, and parsing ends at the first
 * malformed element: a schema notes every fault, and a small body can have hundreds of thousands of them.
 */
function countedElements(body: unknown, max: number): readonly unknown[] {
  const { messages } = fieldsOf(body);
  if (!Array.isArray(messages) || messages.length === 0) throw new AppError('MISSING_MESSAGES');
  if (messages.length > max) throw new HttpError(413, `There are more than ${max} messages.`);
  let blocks = 0;
  for (const message of messages) {
    const { content } = fieldsOf(message);
    if (Array.isArray(content)) blocks += content.length;
  }
  if (blocks > max) throw new HttpError(413, `The messages have more than ${max} content blocks in all.`);
  return messages;
}

function hasOtherRole(element: unknown): boolean {
  const { role } = fieldsOf(element);
  return typeof role === 'string' && role !== 'user';
}

/** The fields of a parsed JSON object; any other value has none. */
function fieldsOf(value: unknown): { messages?: unknown; conversationId?: unknown; role?: unknown; content?: unknown } {
  return typeof value === 'object' && value !== null ? value : {};
}
