import { retryRules } from '../../shared/retry.ts';
import { code } from '../support/document.ts';

/** The retry rules as the documents print them, row by row. */
export const retryTable = Object.entries(retryRules).map(([name, { attempts, delaysSeconds, policy }]) => {
  const waits = delaysSeconds === 'retry-after' ? code('Retry-After') : delaysSeconds.join(', ') || '–';
  return [code(name), String(attempts), waits, policy];
});
