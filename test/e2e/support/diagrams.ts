import type { Page } from 'playwright-core';
import { turn } from '../../client/chat/turns.ts';
import { visitDemoWithTurns } from './stored-conversations.ts';

// `visit` adds a header to each request, which CORS does not allow for the modules of a frame with an opaque origin.
export const noExtraHeaders = { extraHTTPHeaders: {} };

export const flow = '```mermaid\nflowchart LR\n  A[Order] --> B[Ship]\n```';

/** Returns paragraphs that fill at least `windows` windows of a phone. */
export const longText = (windows: number) =>
  Array.from({ length: 3 * windows }, () => 'The queue before the furnace takes most of the time. '.repeat(10)).join(
    '\n\n',
  );

export function visitWithDiagrams(...diagrams: readonly string[]): Promise<Page> {
  return visitDemoWithTurns([turn('How does an order flow?', diagrams.join('\n\n'))], noExtraHeaders);
}
