import type { Described } from '../../shared/onboarding.ts';
import { AppError } from '../app-error.ts';
import type { EngagementState } from '../engagement/engagement-state.ts';
import { type Client, callFunction } from './client.ts';
import type { Scope } from './tenant.ts';
import { createId, isId, storableText } from './values.ts';

type Question = Scope & {
  /** As the client sent it: anything. Only the id of a conversation of this user in this organization counts. */
  conversationId: unknown;
  content: string;
  requestId: string;
  /** Ids for what is new, made by the caller where it may have to ask twice. */
  newIds?: { conversation: string; message: string };
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
export type OpenedTurn = {
  conversationId: string;
  facts: {
    organization: Described<'company'>;
    user: { name: string | null } & Described<'profile'>;
    /** Null where the caller has no engagement state yet. */
    engagement: EngagementState | null;
  };
};

/** The day's budgets that a turn counts against, in tokens; undefined means that there is none. */
export type Budgets = { user: number | undefined; organization: number | undefined };

/** What a turn may come to, until it is settled; `tokens` without what the caller's facts add to the prompt. */
export type Reservation = { id: string; tokens: number; budgets: Budgets };

/** The budget that has nothing left, and after how many whole seconds it has. */
export type UsedUp = { whose: 'user' | 'organization'; retryAfterSeconds: number };

/** What a turn that is over counts in place of its reservation. */
export type Settlement = { id: string; tokens: number };

/** Ids for the conversation and the message that a question may make. */
export function createNewIds(): { conversation: string; message: string } {
  return { conversation: createId(), message: createId() };
}

export type Turns = ReturnType<typeof createTurns>;

/** Each is one round trip and one transaction, in a function of the database that works as the tenant role. */
export function createTurns(client: Client) {
  async function open<Opened>(parameters: Parameters<typeof callFunction>[2]): Promise<Opened> {
    const opened = await callFunction<Opened | null>(client, 'open_turn', parameters);
    if (opened === null) throw new AppError('UNAUTHENTICATED');
    return opened;
  }

  return {
    /**
     * Commits the `USER` row, and the conversation if this turn begins one, and loads what the prompt is composed from.
     * Doing it again with the same ids writes nothing more. Neither does a question that repeats request id and content of
     * the last message of the conversation that it names, where that is a question too.
     * @throws AppError UNAUTHENTICATED where the person has been moved, suspended or deleted since their session was read
     */
    async open(question: Question): Promise<OpenedTurn> {
      return open<OpenedTurn>({ ...opening(question), ...reserving() });
    },

    /** The same, and reserves its tokens. Where a budget is used up it writes nothing, and says which one. */
    async openWithinBudgets(question: Question, reservation: Reservation): Promise<OpenedTurn | { refused: UsedUp }> {
      return open<OpenedTurn | { refused: UsedUp }>({ ...opening(question), ...reserving(reservation) });
    },

    /**
     * Commits the `ASSISTANT` row and bumps `lastMessageAt`, and settles what the turn had reserved; doing it again with
     * the same id changes nothing.
     */
    async close(answer: Answer, settlement?: Settlement): Promise<void> {
      await callFunction<void>(client, 'close_turn', {
        ...closing(answer),
        reservation: settlement?.id ?? null,
        used_tokens: settlement?.tokens ?? null,
      });
    },

    /** Settles a turn that has no answer; doing it again changes nothing. */
    async settle({ orgId }: Scope, { id, tokens }: Settlement): Promise<void> {
      await callFunction<void>(client, 'settle_turn', { organization: orgId, reservation: id, used_tokens: tokens });
    },
  };
}

function opening({ orgId, userId, conversationId, content, requestId, newIds = createNewIds() }: Question) {
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

function reserving(reservation?: Reservation) {
  return {
    reservation: reservation?.id ?? null,
    estimated_tokens: reservation?.tokens ?? null,
    person_budget: reservation?.budgets.user ?? null,
    organization_budget: reservation?.budgets.organization ?? null,
  };
}

function closing(answer: Answer) {
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
