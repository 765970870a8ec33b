import { caseBytes } from './arbitraries/cases.ts';
import { tokens } from './arbitraries/tokens.ts';
import type { Failure } from './campaign.ts';

const mostShown = 2_000;

/** What a person needs to understand a failure and to see it again. */
export function described({ seed, path, smallest, complaints }: Failure): string {
  const { pieces } = caseBytes(smallest, tokens);
  const sent = Buffer.concat(pieces).toString('latin1');
  const shown = JSON.stringify(sent.length > mostShown ? `${sent.slice(0, mostShown)}…` : sent);
  return [
    'A case fails:',
    ...complaints.map((complaint) => `- ${complaint}`),
    '',
    `The smallest such case, while the provider is in the mood "${smallest.mood}":`,
    JSON.stringify(smallest.requests, undefined, 2),
    `${sent.length} bytes in ${pieces.length} packets: ${shown}`,
    '',
    `Again: npm run fuzz -- --seed ${seed} --path ${path}`,
  ].join('\n');
}
