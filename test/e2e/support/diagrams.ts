import type { Page } from 'playwright-core';
import type { PageMessage } from '../../../client/diagram/frame-messages.ts';
import { drawableSource } from '../../../client/markdown/diagrams/drawable-source.ts';
import { diagramPage } from '../../../shared/interface.ts';
import { turn } from '../../client/chat/turns.ts';
import { visitDemoWithTurns } from './stored-conversations.ts';

// `visit` adds a header to each request, which CORS does not allow for the modules of a frame with an opaque origin.
export const noExtraHeaders = { extraHTTPHeaders: {} };

export const flow = '```mermaid\nflowchart LR\n  A[Order] --> B[Ship]\n```';

/** Returns a stand-in for the page in the frame of a diagram: `code` handles each message `data` that the page sends to its `port`. */
const diagramPageThat = (code: string) => `<body><script>
  onmessage = ({ ports: [port] }) => {
    port.postMessage({ type: 'ready' });
    port.onmessage = ({ data }) => {${code}};
  };
</script></body>`;

/** Reports at once that a drawing of `height` is finished. */
export const drawsAtOnce = (height = 90) =>
  diagramPageThat(`
    document.body.textContent = data.source;
    port.postMessage({ type: 'drawn', height: ${height}, leastWidth: 0 });
    document.createElement('canvas').toBlob((png) => port.postMessage({ type: 'picture', png }));
  `);

export const neverDraws = diagramPageThat("document.body.append('Connected')");

/** Returns paragraphs that fill at least `windows` windows of a phone. */
export const longText = (windows: number) =>
  Array.from({ length: 3 * windows }, () => 'The queue before the furnace takes most of the time. '.repeat(10)).join(
    '\n\n',
  );

/** Replaces the page in the frames of diagrams on `page` by `body`, which needs no time for Mermaid. */
export const mockDiagrams = (page: Page, body = drawsAtOnce()) =>
  page.route(diagramPage.path, (route) => route.fulfill({ contentType: 'text/html', body }));

export function visitWithDiagrams(...diagrams: readonly string[]): Promise<Page> {
  return visitDemoWithTurns([turn('How does an order flow?', diagrams.join('\n\n'))], noExtraHeaders);
}

/** Opens a conversation with a diagram. The returned function draws in the frame of this diagram, so that Mermaid is loaded only once. */
export async function openDiagramFrame() {
  const page = await visitDemoWithTurns([turn('How does an order flow?', flow)], noExtraHeaders, (page) =>
    page.addInitScript(() => {
      window.MessageChannel = class extends MessageChannel {
        constructor() {
          super();
          window.latestPort = this.port1;
        }
      };
    }),
  );
  await page.getByRole('button', { name: 'Show source' }).waitFor();
  const drawing = page.frameLocator('iframe').locator('#diagram');
  return async (source: string, theme = 'light') => {
    await drawing.evaluate((box) => box.replaceChildren());
    const message = { type: 'draw', source: drawableSource(source) ?? '', theme } satisfies PageMessage;
    await page.evaluate((message) => window.latestPort?.postMessage(message), message);
    await drawing.evaluate(async (box) => {
      while (box.childElementCount === 0 || box.clientHeight !== innerHeight) await new Promise(requestAnimationFrame);
    });
    return drawing;
  };
}

declare global {
  interface Window {
    latestPort?: MessagePort;
  }
}
