import type { Fate } from './plan/fates.ts';

/** Milliseconds since 1970 on a clock that never jumps: `now` in now.ts. */
export type Moment = number;

export type Asker =
  | { route: 'live'; userId: string; orgId: string; organizationMark: string; personMark: string }
  | { route: 'demo'; address: string };

/** One turn that a person began; its number stands in its text. */
export type Question = { turn: number; asker: Asker; text: string; shown: Shown | null };

/**
 * What the client's core showed when the turn had rested for the first time, after so many attempts; null where it took
 * the place of an earlier turn. `stuck` is a turn that came to no end.
 */
export type Shown = { attempts: number; ending: string; reply: string; stuck: boolean };

/** One request that a client sent for a turn, and all that came back. */
export type Attempt = {
  turn: number;
  requestId: string;
  askedConversationId: string | null;
  sentAt: Moment;
  endedAt: Moment | null;
  /** `left` by the client itself, `cut` by the other side */
  ending: 'whole' | 'cut' | 'left' | null;
  status: number | null;
  headers: { requestId: string | null; conversationId: string | null; promptVersion: string | null };
  retryAfterSeconds: number | null;
  body: string;
};

export type Usage = { inputTokens: number; outputTokens: number; cacheReadTokens: number; cacheCreateTokens: number };

/** One request that reached the provider, and what it was answered. `attempt` counts a turn's requests from 1. */
export type ProviderReply = {
  turn: number;
  attempt: number;
  fate: Fate;
  arrivedAt: Moment;
  endedAt: Moment | null;
  /** the text deltas that were sent, joined */
  text: string;
  /** whether everything that was planned has been sent */
  whole: boolean;
  usage: Usage;
  stopReason: string;
  maxTokens: number;
  /** of the system prompt and the messages, as they were sent */
  promptCharacters: number;
  /** the organizations and persons that the system prompt names, and the turns that the messages hold */
  marks: string[];
  turnsNamed: number[];
};

export type MessageRow = {
  id: string;
  position: number;
  orgId: string;
  userId: string;
  conversationId: string;
  role: 'USER' | 'ASSISTANT';
  content: string;
  requestId: string;
  inputTokens: number | null;
  outputTokens: number | null;
  cacheReadTokens: number | null;
  cacheCreateTokens: number | null;
  stopReason: string | null;
  model: string | null;
  promptVersion: string | null;
  createdAt: Moment;
};

export type ConversationRow = { id: string; orgId: string; userId: string; lastMessageAt: Moment | null };

/** What one turn counts against its budgets; before it is settled, the most that it may come to. */
export type TokenUseRow = { orgId: string; userId: string; tokens: number; settled: boolean; usedAt: Moment };

/** One of the people whom the plan suspends: what the database says of them at the end. */
export type SuspendedRow = { userId: string; isSuspended: boolean; sessions: number };

/** What the database holds at the end; `others` are fingerprints of the tables that no turn may change. */
export type Stored = {
  messages: MessageRow[];
  conversations: ConversationRow[];
  tokenUses: TokenUseRow[];
  suspended: SuspendedRow[];
  others: { before: Record<string, string>; after: Record<string, string> };
};

/** One person who was suspended: `from` the first try of the operator, `doneAt` when it had succeeded. */
export type Suspension = { userId: string; from: Moment; doneAt: Moment };

/** The day's budgets, in tokens. */
export type Budgets = { user: number; organization: number; demo: number };

/** One injected fault; `mendedAt` is when the part worked again. */
export type FaultRecord = { kind: string; from: Moment; mendedAt: Moment; failing: FailingPart[] };
export type FailingPart = 'database' | 'redis' | 'provider' | 'product stopped' | 'product killed';

/** A process of the product, from its start to its exit. `code` is null where a signal ended it. */
export type Life = { startedAt: Moment; exitedAt: Moment | null; killed: boolean; code: number | null };

/** The product while nobody asks anything, garbage collected. `progress` is the part of the turns that had begun. */
export type Sample = {
  life: number;
  progress: number;
  heapUsedBytes: number;
  residentBytes: number;
  /** Node's active resources by type */
  resources: Record<string, number>;
  /** the longest that the event loop stood still since the last sample */
  longestStallMilliseconds: number;
};

/** A time in which a limiter of the product counted by itself, by its own log. */
export type AwayFromRedis = { limiter: string; life: number; from: Moment; to: Moment };

export type Limit = { requests: number; windowSeconds: number };

/** Everything that is known about a run. */
export type Records = {
  questions: Question[];
  attempts: Attempt[];
  replies: ProviderReply[];
  stored: Stored;
  /** connections to the database that were left in a transaction at the end */
  openTransactions: number;
  faults: FaultRecord[];
  suspensions: Suspension[];
  budgets: Budgets;
  lives: Life[];
  samples: { idleBefore: Sample; between: Sample[]; idleAfter: Sample };
  awayFromRedis: AwayFromRedis[];
  /** when Redis was started anew, its counts lost */
  redisEmptiedAt: Moment[];
  limits: Record<'live' | 'demo', Limit>;
  /** the longest that the soak's own event loop stood still */
  longestStallMilliseconds: number;
  logLines: string[];
};

/** A rule that was broken; `requestId` is what to look for in the product's log. */
export type Violation = { rule: string; detail: string; requestId?: string };
