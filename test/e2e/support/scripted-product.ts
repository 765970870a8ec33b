import type { ProviderStep } from '../../../server/embedded/provider-server.ts';
import { createScriptedProvider } from '../../support/scripted-provider.ts';
import { startProduct } from './product.ts';

/** Starts the product with a model whose replies the test sends piece by piece. */
export async function startScriptedProduct() {
  const provider = await createScriptedProvider();
  const product = await startProduct({ ANTHROPIC_BASE_URL: provider.url });

  return {
    product,

    nextReply() {
      const { readable, writable } = new TransformStream<ProviderStep, ProviderStep>();
      const pieces = writable.getWriter();
      provider.answerWith({ steps: readable });
      return {
        say: (text: string) => pieces.write({ text }),
        /** Loses the connection to the provider. */
        cut: () => pieces.write({ cut: true }),
        end: () => pieces.close(),
      };
    },

    replyWith(text: string): void {
      provider.answerWith({ steps: [{ text }] });
    },

    async remove(): Promise<void> {
      await product.remove();
      await provider.close();
    },
  };
}
