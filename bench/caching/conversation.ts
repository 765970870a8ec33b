import { routes } from '../../shared/interface.ts';
import type { Contender } from '../contenders/contenders.ts';
import type { Rig } from '../rig.ts';
import type { CachedRequest } from './prompt-cache.ts';

/** An answer of about 350 words. */
const reply = { deltas: 110, deltaCharacters: 20, paceMilliseconds: 'in one piece' } as const;

/** A question of about 60 words. */
const question = (turn: number) =>
  `This is question ${turn} of our weekly review. We looked at the figures that you asked for, and they are not what we had ` +
  'thought: the waiting time before the second step is twice that before the first, and it varies more from week to week than ' +
  'any of us would have guessed. What would you look at next, which of our hypotheses does it touch, and what would change your mind?';

/** A live conversation of so many turns, as a client holds it; gives what the provider was sent for each turn. */
export async function converse(rig: Rig, { port }: Contender, turns: number): Promise<CachedRequest[]> {
  const [cookie = ''] = rig.cookies;
  await rig.provider.call('speak', reply);
  await rig.provider.call('record');
  const messages: { role: 'user' | 'assistant'; content: string }[] = [];
  let conversationId: string | null = null;
  for (let turn = 1; turn <= turns; turn += 1) {
    messages.push({ role: 'user', content: question(turn) });
    const response: Response = await fetch(`http://127.0.0.1:${port}${routes.liveChat}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-Proto': 'https', Cookie: cookie },
      body: JSON.stringify({ messages, ...(conversationId !== null && { conversationId }) }),
    });
    if (response.status !== 200)
      throw new Error(`Turn ${turn} was answered ${response.status}: ${await response.text()}`);
    conversationId = response.headers.get('X-Conversation-Id');
    messages.push({ role: 'assistant', content: await response.text() });
  }
  const bodies = await rig.provider.call('recorded');
  return bodies.map((body): CachedRequest => JSON.parse(body));
}
