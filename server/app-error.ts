import { type ErrorCode, errorSentence } from '../shared/errors.ts';

/**
 * An error that a client may see: its status and sentence come from the table in `shared/errors.ts`.
 * `cause` is for the log alone; `retryAfterSeconds` (whole seconds) goes with `RATE_LIMITED`; `sentence` is public too, and
 * says more than the code's own.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: { cause?: unknown; retryAfterSeconds?: number; sentence?: string } = {}) {
    super(errorSentence(code, options.retryAfterSeconds, options.sentence), { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** A refusal that is HTTP's own and has no code in the error table (404, 405, 413, …): its sentence is public. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}
