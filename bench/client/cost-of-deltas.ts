import { emptyDocument, growDocument } from '../../client/markdown/growing-document.ts';
import { readBlocks } from '../../client/markdown/read-blocks.ts';

/**
 * What it takes, in this process and without a browser, to read one more word of a growing `text`: at its beginning and at
 * its end, as means of 2,000 words; and what it would take to read all of it again.
 */
export function costOfDeltas(text: string) {
  const words = text.match(/\s*\S+/g) ?? [];
  const costs: number[] = [];
  let document = emptyDocument;
  let soFar = '';
  for (const word of words) {
    soFar += word;
    const startedAt = performance.now();
    document = growDocument(document, soFar, true);
    costs.push(performance.now() - startedAt);
  }
  const startedAt = performance.now();
  readBlocks(text);
  const whole = performance.now() - startedAt;

  const mean = (some: readonly number[]) => some.reduce((sum, cost) => sum + cost, 0) / some.length;
  return {
    'one more word, words 2,000 to 4,000': `${mean(costs.slice(2000, 4000)).toFixed(3)} ms`,
    'one more word, the last 2,000': `${mean(costs.slice(-2000)).toFixed(3)} ms`,
    'the whole at once': `${whole.toFixed(1)} ms`,
  };
}
