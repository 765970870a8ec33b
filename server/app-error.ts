import { type ErrorCode, errorSentence } from '../shared/errors.ts';

/**
 * An error that a client may see: its status and sentence come from the table in `shared/errors.ts`.
 * `cause` is for the log alone; `retryAfterSeconds` (whole seconds) goes with `RATE_LIMITED`.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(errorSentence(code, options.retryAfterSeconds), { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
