import { atEndOfRun } from '../../support/end-of-run.ts';
import { createScriptedProvider } from '../../support/scripted-provider.ts';
import { repliesOf } from '../../webkit/support/product.ts';
import { startProduct } from './product.ts';

let shared: ReturnType<typeof startScriptedProduct> | undefined;

/** Returns one product for all tests, with a model whose replies the test sends piece by piece. */
export function sharedScriptedProduct() {
  shared ??= startScriptedProduct();
  return shared;
}

async function startScriptedProduct() {
  const provider = await createScriptedProvider();
  const product = await startProduct({ ANTHROPIC_BASE_URL: provider.url });
  atEndOfRun(async () => {
    await product.remove();
    await provider.close();
  });

  return { product, ...repliesOf(provider) };
}
