import { type ErrorCode, errorSentence } from '../shared/errors.ts';

/**
 * An error with a code whose status and sentence are public, from the table in `shared/errors.ts`. `cause` is only
 * logged. `retryAfterSeconds` (whole seconds) is for `RATE_LIMITED`. `sentence` replaces the general sentence of the
 * code and is public too.
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

/** An HTTP error without a code in the error table (404, 405, 413, …). Its sentence is public. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}
