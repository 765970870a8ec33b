import type { Refusal } from '../shared/chat-requests.ts';
import { type BudgetScope, capacitySentences, type ErrorCode, errorSentence } from '../shared/errors.ts';

/** The limits of this process that refuse a request with 503, by their names in the log and the metrics, with their public sentences. */
export const capacityLimits = {
  turns: 'service',
  'turns-demo': 'demo',
  'turns-user': 'user',
  'late-writes': 'service',
  bodies: 'bodies',
  'bodies-demo': 'demo',
  'bodies-user': 'share',
  'bodies-address': 'share',
} as const satisfies Record<string, keyof typeof capacitySentences>;

export type CapacityLimit = keyof typeof capacityLimits;

/** The token budget, or the limit of this process, that has refused a request, as the log line and the metrics report it. */
type RefusedBy = { budget?: BudgetScope; capacity?: CapacityLimit };

type AppErrorOptions = { cause?: unknown; retryAfterSeconds?: number; sentence?: string; refusedBy?: RefusedBy };

/**
 * An error with a code whose status and sentence are public, from the table in `shared/errors.ts`. `cause` is only
 * logged, and so is `refusedBy`. `retryAfterSeconds` (whole seconds) is for `RATE_LIMITED`. `sentence` replaces the general sentence
 * of the code and is public too.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;
  readonly refusedBy: RefusedBy | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(errorSentence(code, options.retryAfterSeconds, options.sentence), { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.refusedBy = options.refusedBy;
  }
}

/** Uses a code that clients retry soon, because capacity can become free within a second, here or on another instance. */
export function capacityError(limit: CapacityLimit): AppError {
  const sentence = capacitySentences[capacityLimits[limit]];
  return new AppError('UPSTREAM_OVERLOADED', { sentence, refusedBy: { capacity: limit } });
}

/** An HTTP error without a code in the error table (404, 405, 413, …). Its sentence is public. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

/** Returns the fields of a request's body. Throws the error for a body that is refused. */
export function requireAccepted<Fields>(result: (Fields & { refusal?: never }) | { refusal: Refusal }): Fields {
  const { refusal } = result;
  if (refusal === undefined) return result;
  if ('status' in refusal) throw new HttpError(refusal.status, refusal.sentence);
  const { code, detail } = refusal;
  throw new AppError(code, detail === undefined ? {} : { cause: new Error(detail) });
}
