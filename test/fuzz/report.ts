import { caseBytes } from './arbitraries/cases.ts';
import { tokens } from './arbitraries/tokens.ts';
import type { Failure } from './campaign.ts';

const mostShown = 2_000;

/** What a person needs to understand a failure and to see it again. */
export function described({ seed, path, smallest, complaints }: Failure): string {
  const { pieces } = caseBytes(smallest, tokens);
  const sent = Buffer.concat(pieces).toString('latin1');
  return [
    'A case fails:',
    ...complaints.map((complaint) => `- ${complaint}`),
    '',
    `The smallest such case, while the provider is in the mood "${smallest.mood}":`,
    ...smallest.requests.map((request) => cut(JSON.stringify(request))),
    `${sent.length} bytes in ${pieces.length} packets: ${cut(JSON.stringify(sent))}`,
    '',
    `Again: npm run fuzz -- --seed ${seed} --path ${path}`,
  ].join('\n');
}

function cut(text: string): string {
  return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
}
