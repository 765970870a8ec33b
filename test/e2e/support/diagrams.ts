import type { Page } from 'playwright-core';
import { turn } from '../../client/chat/turns.ts';
import { visitDemoWithTurns } from './stored-conversations.ts';

// `visit` adds a header to each request, which CORS does not allow for the modules of a frame with an opaque origin.
export const noExtraHeaders = { extraHTTPHeaders: {} };

export function visitWithDiagrams(...diagrams: readonly string[]): Promise<Page> {
  return visitDemoWithTurns([turn('How does an order flow?', diagrams.join('\n\n'))], noExtraHeaders);
}
