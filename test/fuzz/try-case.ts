import { type Case, caseBytes, isAnswerable, needsSignIn } from './arbitraries/cases.ts';
import type { Evidence } from './oracle/evidence.ts';
import type { Target } from './target.ts';
import { exchangeBytes } from './wire/exchange.ts';

/** Who sent whole requests waits this long; whoever sent something else leaves soon. In milliseconds. */
const patienceMilliseconds = { answerable: 20_000, other: 40 };

/** Sends a case to the application and gives what came of it, and how many bytes it was. */
export async function tryCase(target: Target, tried: Case): Promise<{ evidence: Evidence; sizeBytes: number }> {
  const signIn = needsSignIn(tried) ? tried.signIn : null;
  const { cookies, attempt } = await target.prepare({ mood: tried.mood, signIn });
  const { host, port } = new URL(target.url);
  const { code, state } = attempt;
  const { pieces, sizeBytes } = caseBytes(tried, { host, ...cookies, attempt: attempt.cookie, code, state });
  const exchanged = await exchangeBytes({
    port: Number(port),
    pieces,
    methods: tried.requests.map(({ method }) => method),
    patienceMilliseconds: isAnswerable(tried) ? patienceMilliseconds.answerable : patienceMilliseconds.other,
  });
  const settled = await target.settle();
  const ailment = await target.ailment();
  return { evidence: { tried, exchanged, settled, greeting: target, ailment }, sizeBytes };
}
