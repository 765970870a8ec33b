import { join } from 'node:path';
import type { ProviderStep } from '../../../server/embedded/provider-server.ts';
import { createBuiltPages } from '../../../server/pages/built-pages.ts';
import { clientBuildDirectory } from '../../../server/pages/client-build.ts';
import { eventually } from '../../support/eventually.ts';
import type { ScriptedProvider } from '../../support/scripted-provider.ts';
import { root } from '../../support/served-process.ts';
import { createTestApp } from '../../support/test-app.ts';

export type Product = Awaited<ReturnType<typeof startProduct>>;

/** Starts the app with the built client, and a model whose replies the test sends piece by piece. */
export async function startProduct() {
  const app = await createTestApp({
    pages: createBuiltPages(join(root, clientBuildDirectory)),
    // All tests share one IP address, so the limits must be high.
    limits: { demo: 1000, signInStart: 1000, signInCallback: 1000 },
  });
  return { ...app, ...repliesOf(app.provider) };
}

/** Returns functions that script the replies of `provider`. */
export function repliesOf(provider: ScriptedProvider) {
  return {
    /**
     * Scripts the next reply: `say` sends a piece of it, `cut` loses the connection to the provider, `end` ends the reply.
     * `ending` resolves when the provider's exchange has ended, with `disconnected` if the page has aborted it.
     */
    nextReply() {
      const { readable, writable } = new TransformStream<ProviderStep, ProviderStep>();
      const pieces = writable.getWriter();
      provider.answerWith({ steps: readable });
      let ended: string | undefined;
      void provider.request(provider.requests.length + 1).then(async (request) => {
        ended = await request.ended;
      });
      return {
        ending: () => eventually(() => ended),
        say: (text: string) => pieces.write({ text }),
        cut: () => pieces.write({ cut: true }),
        end: () => pieces.close(),
      };
    },

    replyWith(text: string): void {
      provider.answerWith({ steps: [{ text }] });
    },
  };
}
