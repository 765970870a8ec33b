import type { Operation } from './operation.ts';

/** A message that a request has stored: whose, where and when, and never what it says. */
export type FoundMessage = {
  position: number;
  createdAt: Date;
  role: 'USER' | 'ASSISTANT';
  conversationId: string;
  user: { id: string; name: string | null; email: string | null };
  organization: { id: string; name: string };
  /** The other fields are an answer's; `stopReason` is null where it was cut short. */
  stopReason: string | null;
  model: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
};

/** A line of the trail that a request has left. */
export type FoundEvent = {
  position: number;
  createdAt: Date;
  action: string;
  actor: string | null;
  subject: string | null;
  details: unknown;
};

/** As much of an id as a log line has. */
const mostCharacters = 128;

export function createRequestSearch(operation: Operation) {
  return {
    /** What a request has left behind, at most so many of each: clients choose these ids, and may use one again and again. */
    findRequest: (requestId: string, limit: number) =>
      operation('find-request', requestId.slice(0, mostCharacters), async (em) => ({
        messages: await em.execute<FoundMessage[]>(
          `select position::float8 as position, message.created_at as "createdAt", message.role, conversation_id as "conversationId",
                  json_build_object('id', users.id, 'name', users.name, 'email', email) as user,
                  json_build_object('id', organizations.id, 'name', organizations.name) as organization,
                  stop_reason as "stopReason", model, input_tokens as "inputTokens", output_tokens as "outputTokens"
             from chat_messages message
               join users on users.id = message.user_id join organizations on organizations.id = message.org_id
            where request_id = ? order by position limit ?`,
          [requestId, limit],
        ),
        events: await em.execute<FoundEvent[]>(
          `select position::float8 as position, created_at as "createdAt", action, actor, subject, details
             from audit_events where request_id = ? order by position limit ?`,
          [requestId, limit],
        ),
      })),
  };
}
