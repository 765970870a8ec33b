import type { EngagementState } from '../engagement/engagement-state.ts';
import { type Client, callFunction } from './client.ts';
import { createId, isId } from './ids.ts';
import { storableText } from './storable.ts';

type Scope = { orgId: string; userId: string };

type Question = Scope & {
  /** As the client sent it: anything. Only the id of a conversation of this user in this organization counts. */
  conversationId: unknown;
  content: string;
  requestId: string;
};

/** What an assistant message records beside its text; `stopReason` is null where the reply was cut short. */
export type Answer = Scope & {
  /** Made by the caller, so that a write whose acknowledgement was lost can be repeated. */
  id: string;
  conversationId: string;
  content: string;
  requestId: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheCreateTokens: number;
  stopReason: string | null;
  model: string;
  promptVersion: string;
};

/** The conversation that a turn is in, and what its prompt is composed from. */
type OpenedTurn = {
  conversationId: string;
  facts: {
    organization: { name: string; industry: string | null; size: string | null };
    user: { name: string | null; role: string | null };
    /** Null where the caller has no engagement state yet. */
    engagement: EngagementState | null;
  };
};

/** Each is one round trip and one transaction, in a function of the migrations that works as the tenant role. */
export function createTurns(client: Client) {
  return {
    /**
     * Commits the `USER` row, and the conversation if this turn begins one, and loads what the prompt is composed from.
     * A retry of the conversation's last, still unanswered question (same request id and content) writes no second row.
     */
    async open({ orgId, userId, conversationId, content, requestId }: Question): Promise<OpenedTurn> {
      const opened = await callFunction<OpenedTurn>(client, 'open_turn', {
        organization: orgId,
        person: userId,
        named_conversation: isId(conversationId) ? conversationId : null,
        new_conversation: createId(),
        new_message: createId(),
        request: storableText(requestId),
        question: storableText(content),
      });
      if (opened === undefined) throw new Error('A turn was opened and does not say where.');
      return opened;
    },

    /** Commits the `ASSISTANT` row and bumps `lastMessageAt`; doing it again with the same id changes nothing. */
    async close(answer: Answer): Promise<void> {
      await callFunction<void>(client, 'close_turn', {
        organization: answer.orgId,
        person: answer.userId,
        conversation: answer.conversationId,
        new_message: answer.id,
        request: storableText(answer.requestId),
        answer: storableText(answer.content),
        input: answer.inputTokens,
        output: answer.outputTokens,
        cache_read: answer.cacheReadTokens,
        cache_create: answer.cacheCreateTokens,
        stopped_by: answer.stopReason && storableText(answer.stopReason),
        answered_by: storableText(answer.model),
        prompt: answer.promptVersion,
      });
    },
  };
}
