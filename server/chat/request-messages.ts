import type { Message } from '../../shared/messages.ts';
import { fieldsOf, type Refused, readDemoMessages, readLiveMessages } from '../../shared/request-messages.ts';
import { AppError, HttpError } from '../app-error.ts';

export type LiveRequest = { messages: Message[]; question: Message; conversationId: unknown };

/**
 * Validates the body of a live request and drops unknown fields.
 * @throws HttpError 413 above the limit of messages or blocks
 * @throws AppError `MISSING_MESSAGES`, or `LAST_MESSAGE_NOT_USER` if the last element has another role
 */
export function parseLiveRequest(body: unknown): LiveRequest {
  const read = readLiveMessages(body);
  if (read.refused) throw errorOf(read.refused);
  const { messages } = read;
  const question = messages.at(-1);
  if (question === undefined) throw new AppError('MISSING_MESSAGES');
  return { messages, question, conversationId: fieldsOf(body).conversationId };
}

/**
 * Validates the body of a demo request and drops unknown fields.
 * @throws HttpError 413 above the limit of messages or blocks
 * @throws AppError `MISSING_MESSAGES` if there is no non-empty array; `UPSTREAM_BAD_REQUEST`, as from the provider, if
 * an element is malformed
 */
export function parseDemoMessages(body: unknown): Message[] {
  const read = readDemoMessages(body);
  if (read.refused) throw errorOf(read.refused);
  return read.messages;
}

function errorOf(refused: Refused): AppError | HttpError {
  if ('status' in refused) return new HttpError(refused.status, refused.sentence);
  const { code, detail } = refused;
  return new AppError(code, detail === undefined ? {} : { cause: new Error(detail) });
}
