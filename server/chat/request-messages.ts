import type { RequestHandler } from 'express';
import { messageSchema } from '../../shared/chat-requests.ts';
import type { Message } from '../../shared/messages.ts';
import { AppError, HttpError } from '../app-error.ts';
import { takeOnce } from '../take-once.ts';

export type LiveRequest = { messages: Message[]; question: Message; conversationId: unknown };

/** Replaces `request.body` with a function that returns the `LiveRequest` once (see `takeOnce`). */
export function requireLiveMessages(maxMessages: number): RequestHandler<object> {
  return (request, _response, next) => {
    request.body = takeOnce(parseLiveRequest(request.body, maxMessages));
    next();
  };
}

/** Replaces `request.body` with a function that returns the messages once (see `takeOnce`). */
export function requireDemoMessages(maxMessages: number): RequestHandler<object> {
  return (request, _response, next) => {
    request.body = takeOnce(parseDemoMessages(request.body, maxMessages));
    next();
  };
}

/**
 * Validates the body of a live request and drops unknown fields. `maxMessages` limits the number of messages, and the
 * total number of their content blocks.
 * @throws HttpError 413 above these limits
 * @throws AppError `MISSING_MESSAGES`, or `LAST_MESSAGE_NOT_USER` if the last element has another role
 */
function parseLiveRequest(body: unknown, maxMessages: number): LiveRequest {
  const elements = boundedElements(body, maxMessages);
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
 * Validates the body of a demo request and drops unknown fields. `maxMessages` as for `parseLiveRequest`.
 * @throws HttpError 413 above these limits
 * @throws AppError `MISSING_MESSAGES` if there is no non-empty array; `UPSTREAM_BAD_REQUEST`, as from the provider, if
 * an element is malformed
 */
function parseDemoMessages(body: unknown, maxMessages: number): Message[] {
  const messages: Message[] = [];
  for (const [index, element] of boundedElements(body, maxMessages).entries()) {
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
function boundedElements(body: unknown, max: number): readonly unknown[] {
  const { messages } = fieldsOf(body);
  if (!Array.isArray(messages) || messages.length === 0) throw new AppError('MISSING_MESSAGES');
  if (messages.length > max) throw new HttpError(413, `There are more than ${max} messages.`);
  let blocks = 0;
  for (const message of messages) {
    const { content } = fieldsOf(message);
    if (Array.isArray(content)) blocks += content.length;
  }
  if (blocks > max) throw new HttpError(413, `The messages have more than ${max} content blocks in total.`);
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
