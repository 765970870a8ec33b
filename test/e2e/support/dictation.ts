import type { ProviderStep } from '../../../server/embedded/provider-server.ts';
import { createScriptedProvider } from '../../support/scripted-provider.ts';
import { startProduct } from './product.ts';

/** The product, with a model that says what the test dictates, when it dictates it. */
export async function startDictation() {
  const provider = await createScriptedProvider();
  const product = await startProduct({ ANTHROPIC_BASE_URL: provider.url });

  return {
    product,

    /** The reply to the next question: `say` sends a piece of it, `end` ends it. */
    nextReply() {
      const { readable, writable } = new TransformStream<ProviderStep, ProviderStep>();
      const pieces = writable.getWriter();
      provider.answerWith({ steps: readable });
      return {
        say: (text: string) => pieces.write({ text }),
        end: () => pieces.close(),
      };
    },

    /** The reply to the next question, which comes whole. */
    replyWith(text: string): void {
      provider.answerWith({ steps: [{ text }] });
    },

    async remove(): Promise<void> {
      await product.remove();
      await provider.close();
    },
  };
}
