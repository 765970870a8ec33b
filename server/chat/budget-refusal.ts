import type { ServerResponse } from 'node:http';
import { type BudgetOwner, budgetSentences } from '../../shared/errors.ts';
import { AppError } from '../app-error.ts';
import { addToRequestLog } from '../http/requests/request-log.ts';

/** The refusal of a turn for which a budget has nothing left; the request's log line says whose budget it is. */
export function budgetUsedUp(response: ServerResponse, whose: BudgetOwner, retryAfterSeconds: number): AppError {
  addToRequestLog(response, { budget: whose });
  return new AppError('RATE_LIMITED', { retryAfterSeconds, sentence: budgetSentences[whose] });
}
