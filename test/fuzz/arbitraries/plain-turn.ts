import { routes } from '../../../shared/interface.ts';
import type { Case } from './cases.ts';
import { tokens } from './tokens.ts';

/** A turn as the client sends it, with a question of `length` letters. */
export function plainTurn(length: number): Case {
  const text = {
    what: 'turn',
    before: '{"messages":[{"role":"user","content":"',
    unit: 'x',
    count: length,
    between: '',
    after: '"}]}',
  };
  return {
    mood: 'well',
    signIn: 'google',
    requests: [
      {
        method: 'POST',
        target: routes.liveChat,
        version: 'HTTP/1.1',
        host: tokens.host,
        cookie: tokens.onboarded,
        headers: [],
        body: { content: { type: 'application/json', coding: 'none', text }, framing: { how: 'length' } },
      },
    ],
    spliced: null,
    packets: 1,
  };
}
