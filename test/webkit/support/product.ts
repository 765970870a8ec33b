import { join } from 'node:path';
import type { ProviderStep } from '../../../server/embedded/provider-server.ts';
import { createBuiltPages } from '../../../server/pages/built-pages.ts';
import { clientBuildDirectory } from '../../../server/pages/client-build.ts';
import { root } from '../../support/served-process.ts';
import { createTestApp } from '../../support/test-app.ts';

/** Longer than any test: only the page ends a reply. */
const never = 3_600_000;

/** Starts the app with the built client, and a model whose replies the test sends piece by piece. */
export async function startProduct() {
  const app = await createTestApp({
    pages: createBuiltPages(join(root, clientBuildDirectory)),
    idleTimeoutMilliseconds: never,
    // All tests have the same address.
    limits: { demo: 1000, signInStart: 1000, signInCallback: 1000 },
  });
  const { provider } = app;
  return {
    ...app,

    /** Scripts the next reply: `say` sends a piece of it, `end` ends it. `sent` is the provider's request. */
    nextReply() {
      const { readable, writable } = new TransformStream<ProviderStep, ProviderStep>();
      const pieces = writable.getWriter();
      provider.answerWith({ steps: readable });
      return {
        sent: provider.request(provider.requests.length + 1),
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
