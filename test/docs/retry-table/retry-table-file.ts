import { errors } from '../../../shared/errors.ts';
import { codeByStatus, longestUnattendedWaitSeconds, mostAttempts, retryRules } from '../../../shared/retry.ts';
import { errorCodes } from '../../shared/error-codes.ts';
import { retryCases } from './retry-cases.ts';

export const filePath = 'docs/retry-table.json';

/**
 * The file as the sources have it: the retry table, what holds beside it, and turns to try a client with. What
 * `x-retry-policy` of docs/openapi.yaml has too has the same name here.
 */
export function renderFile(): string {
  const table = {
    description: 'Written by `npm run retry-table` from shared/retry.ts. docs/interface.md says how to read it.',
    mostAttempts,
    longestUnattendedWaitSeconds,
    codesByStatus: Object.fromEntries(codeByStatus),
    afterFirstText: 'do not retry',
    brokenConnection: 'do not retry',
    codes: Object.fromEntries(errorCodes.map((code) => [code, { status: errors[code].status, ...retryRules[code] }])),
    cases: retryCases,
  };
  return `${JSON.stringify(table, null, 2)}\n`;
}
