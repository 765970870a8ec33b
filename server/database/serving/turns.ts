import type { Logger } from 'pino';
import type { StoredAnswers } from '../../../shared/onboarding.ts';
import { AppError } from '../../app-error.ts';
import { type RecordedEngagement, readEngagementState } from '../../engagement/engagement-state.ts';
import { codeOf, sqlStates } from '../../postgres/sql-states.ts';
import { type Client, callFunction } from '../native-client.ts';
import type { Scope } from '../tenant.ts';
import { createId, isId, storableText } from '../values.ts';

type Question = Scope & {
  /** Unvalidated input, which is ignored unless it is the id of a conversation of this user in this organization. */
  conversationId: unknown;
  content: string;
  requestId: string;
  /** Callers that retry pass these ids, so that all attempts use the same ones. */
  newIds?: { conversation: string; message: string };
};

/** `stopReason` is null for an incomplete reply. */
export type Answer = Scope & {
  /** The caller generates this id, so that a retry is idempotent. */
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

/** `facts` is the input of the system prompt. */
type OpenedTurn = {
  conversationId: string;
  facts: {
    organization: StoredAnswers<'company'>;
    user: { name: string | null } & StoredAnswers<'profile'>;
    engagement: RecordedEngagement | null;
  };
};

/** Daily budgets in tokens; undefined means unlimited. */
export type Budgets = { user: number | undefined; organization: number | undefined };

/** `tokens` is the estimated prompt and the maximum output, without the facts, which the database adds. */
type Reservation = { id: string; tokens: number; budgets: Budgets };

type ExhaustedBudget = { whose: 'user' | 'organization'; retryAfterSeconds: number };

type Settlement = { id: string; tokens: number };

export function createNewIds(): { conversation: string; message: string } {
  return { conversation: createId(), message: createId() };
}

export type Turns = ReturnType<typeof createTurns>;

/** Each operation is one round trip and one transaction: a call of a database function that runs as the tenant role. */
export function createTurns(client: Client, logger: Logger) {
  const reported = new Set<string>();

  async function open<Opened extends OpenedTurn | { refused: ExhaustedBudget }>(
    scope: Scope,
    parameters: Parameters<typeof callFunction>[2],
  ): Promise<Opened> {
    const opened = await callFunction<Opened | null>(client, 'open_turn', parameters).catch((cause) => {
      throw codeOf(cause) === sqlStates.lockNotAvailable ? new AppError('UPSTREAM_OVERLOADED', { cause }) : cause;
    });
    if (opened === null) throw new AppError('UNAUTHENTICATED');
    if ('facts' in opened && opened.facts.engagement !== null) {
      const { state, unreadable } = readEngagementState(opened.facts.engagement);
      opened.facts.engagement = state;
      if (unreadable.length > 0) reportOnce(scope, unreadable);
    }
    return opened;
  }

  function reportOnce({ userId, orgId }: Scope, parts: readonly string[]): void {
    const key = [userId, orgId, ...parts].join(' ');
    if (reported.has(key)) return;
    reported.add(key);
    logger.warn({ userId, parts }, 'parts of an engagement state cannot be read and are left out of the prompt');
  }

  return {
    /**
     * Commits the `USER` row, and the conversation if the turn starts one, and loads the facts for the prompt.
     * Idempotent: a second call with the same ids writes nothing. A question is not stored again if the last message of its
     * conversation is a question with the same request id and content.
     * @throws AppError UNAUTHENTICATED if the user was moved, suspended or deleted after the session was read, and
     * UPSTREAM_OVERLOADED if another transaction holds a lock for too long, because clients retry after it
     */
    async open(question: Question): Promise<OpenedTurn> {
      return open<OpenedTurn>(question, { ...questionParameters(question), ...reservationParameters() });
    },

    /** Opens the turn and reserves its tokens. If a budget is exhausted, stores no question and returns that budget. */
    async openWithinBudgets(
      question: Question,
      reservation: Reservation,
    ): Promise<OpenedTurn | { refused: ExhaustedBudget }> {
      return open<OpenedTurn | { refused: ExhaustedBudget }>(question, {
        ...questionParameters(question),
        ...reservationParameters(reservation),
      });
    },

    /** Commits the `ASSISTANT` row, bumps `lastMessageAt` and settles the reservation. Idempotent for the same id. */
    async close(answer: Answer, settlement?: Settlement): Promise<void> {
      await callFunction<void>(client, 'close_turn', {
        ...answerParameters(answer),
        reservation: settlement?.id ?? null,
        used_tokens: settlement?.tokens ?? null,
      });
    },

    /** Settles a turn without an answer. Idempotent. */
    async settle({ orgId }: Scope, { id, tokens }: Settlement): Promise<void> {
      await callFunction<void>(client, 'settle_turn', { organization: orgId, reservation: id, used_tokens: tokens });
    },
  };
}

function questionParameters({ orgId, userId, conversationId, content, requestId, newIds = createNewIds() }: Question) {
  return {
    organization: orgId,
    person: userId,
    named_conversation: isId(conversationId) ? conversationId : null,
    new_conversation: newIds.conversation,
    new_message: newIds.message,
    request: storableText(requestId),
    question: storableText(content),
  };
}

function reservationParameters(reservation?: Reservation) {
  return {
    reservation: reservation?.id ?? null,
    estimated_tokens: reservation?.tokens ?? null,
    person_budget: reservation?.budgets.user ?? null,
    organization_budget: reservation?.budgets.organization ?? null,
  };
}

function answerParameters(answer: Answer) {
  return {
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
  };
}
