import { z } from 'zod';
import { type Message, messagesSchema } from '../../shared/messages.ts';
import { AppError } from '../app-error.ts';

const liveBodySchema = z.object({ messages: z.array(z.unknown()).min(1), conversationId: z.unknown().optional() });
const demoBodySchema = z.object({ messages: z.array(z.unknown()).min(1) });
const fieldsSchema = z.object({ role: z.unknown().optional(), content: z.unknown().optional() });
const otherRoleSchema = z.object({ role: z.string().refine((role) => role !== 'user') });

export type LiveRequest = { messages: Message[]; question: Message; conversationId: unknown };

/**
 * The turn that a live request asks for, unknown fields dropped.
 * @throws AppError `MISSING_MESSAGES`, or `LAST_MESSAGE_NOT_USER` where the last element has any other role
 */
export function liveRequest(body: unknown): LiveRequest {
  const parsed = liveBodySchema.safeParse(body);
  if (!parsed.success) throw new AppError('MISSING_MESSAGES');
  const earlier = messagesSchema.safeParse(parsed.data.messages.slice(0, -1));
  const isFirst = parsed.data.messages.length === 1;
  if (!isFirst && !earlier.success) throw new AppError('MISSING_MESSAGES');
  const last = parsed.data.messages.at(-1);
  if (otherRoleSchema.safeParse(last).success) throw new AppError('LAST_MESSAGE_NOT_USER');
  const question = messagesSchema.element.safeParse(last);
  if (!question.success) throw new AppError('MISSING_MESSAGES');
  return {
    messages: [...(earlier.data ?? []), question.data],
    question: question.data,
    conversationId: parsed.data.conversationId,
  };
}

/**
 * The messages of a demo request. What an element is, is the provider's to judge; of one that is an object at least,
 * only the two fields that a message has are passed on.
 * @throws AppError `MISSING_MESSAGES` where there is no non-empty array
 */
export function demoMessages(body: unknown): unknown[] {
  const parsed = demoBodySchema.safeParse(body);
  if (!parsed.success) throw new AppError('MISSING_MESSAGES');
  return parsed.data.messages.map((message) => {
    const fields = fieldsSchema.safeParse(message);
    return fields.success ? fields.data : message;
  });
}
