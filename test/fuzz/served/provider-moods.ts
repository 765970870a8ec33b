import type { ProviderAnswer } from '../../../server/embedded/provider-answer.ts';
import { defaultReply } from '../../support/scripted-provider.ts';
import type { Mood } from '../arbitraries/moods.ts';
import { canaries } from '../canaries.ts';

const message = canaries.providerWords;

const refusal = (status: number, type: string): ProviderAnswer => ({ refuse: { status, type, message } });
const errorEvent = (type: string) => ({ event: { type: 'error', error: { type, message } } });
const text = { text: 'Half, ' };

export const answers: Record<Mood, ProviderAnswer> = {
  well: defaultReply.answer,
  overloaded: refusal(529, 'overloaded_error'),
  'refuses the key': refusal(401, 'authentication_error'),
  'refuses the request': refusal(400, 'invalid_request_error'),
  limits: refusal(429, 'rate_limit_error'),
  fails: refusal(500, 'api_error'),
  'fails in mid-stream': { steps: [text, errorEvent('api_error')] },
  cuts: { steps: [{ cut: true }] },
  'cuts in mid-stream': { steps: [text, { cut: true }] },
  'ends early': { steps: [text, { end: true }] },
  'talks nonsense': { steps: [{ raw: `event: content_block_delta\ndata: {"${message}\n\n` }] },
  'is silent': { steps: [{ wait: new Promise(() => undefined) }] },
};
