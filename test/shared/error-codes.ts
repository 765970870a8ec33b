import { type ErrorCode, errors, formatError } from '../../shared/errors.ts';
import { retryRules } from '../../shared/retry.ts';

/** Every code of the error table, to iterate over. */
export const errorCodes = Object.keys(errors).filter((name): name is ErrorCode => Object.hasOwn(errors, name));

/** The body of an error with this code; it names a wait if the rule of the code is to wait for `Retry-After`. */
export function exampleError(code: ErrorCode, retryAfterSeconds: number): string {
  return formatError(code, retryRules[code].delaysSeconds === 'retry-after' ? retryAfterSeconds : undefined);
}
