import { converse } from '../caching/conversation.ts';
import { type CachedRequest, createPromptCache } from '../caching/prompt-cache.ts';
import type { Measure } from './measure.ts';

const turns = 20;
const minutesApart = [1, 4, 6];

/** What a conversation's input costs, by what the provider was really sent for it. */
export const measureCaching: Measure = async ({ rig: open, say }) => {
  const rig = await open();
  say(`a conversation of ${turns} turns`);
  const contender = await rig.start('live');
  const requests = await converse(rig, contender, turns);
  await contender.stop();

  const accounts = minutesApart.map((minutes) => ({ minutes, ...account(requests, minutes) }));
  const [first] = accounts;
  if (first === undefined) throw new Error('A conversation has a pace.');
  const count = (tokens: number) => Math.round(tokens).toLocaleString('en');
  return [
    {
      heading: `Input cost of a conversation of ${turns} turns`,
      about:
        'Questions of about 60 words, answers of about 350. What the live route sent the provider, accounted for by the rules of ' +
        'the provider’s prompt cache; nothing was in the cache before. Tokens at four characters each; cost in tokens at the plain price.',
      columns: ['turns', 'read', 'written', 'plain', 'cost', 'without a cache', 'of that'],
      rows: accounts.map(({ minutes, read, written, plain, cost, uncached }) => [
        `${minutes} minute${minutes === 1 ? '' : 's'} apart`,
        ...[read, written, plain, cost, uncached].map(count),
        `${((cost / uncached) * 100).toFixed(1)}%`,
      ]),
      goals: [
        {
          what: 'a minute apart',
          value: (first.cost / first.uncached) * 100,
          most: 20,
          unit: '% of the cost without a cache',
        },
      ],
    },
  ];
};

function account(requests: readonly CachedRequest[], minutesApart: number) {
  const cache = createPromptCache();
  const sum = { read: 0, written: 0, plain: 0, cost: 0, uncached: 0 };
  for (const [turn, request] of requests.entries()) {
    const { read, written, plain, cost } = cache.take(request, turn * minutesApart * 60_000);
    sum.read += read;
    sum.written += written;
    sum.plain += plain;
    sum.cost += cost;
    sum.uncached += read + written + plain;
  }
  return sum;
}
