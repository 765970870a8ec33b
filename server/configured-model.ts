import type { Config } from './config/config.ts';
import { createOfflineModelServer } from './embedded/offline-model/offline-model-server.ts';
import { createAnthropicModel } from './model/anthropic-model.ts';
import type { Model } from './model/model.ts';

/** The model that the configuration names, else the offline stand-in, through the same SDK; `opened` closes it again. */
export async function openConfiguredModel(
  {
    model: { apiKey, baseUrl, name },
    modelIdleTimeoutMilliseconds,
  }: Pick<Config, 'model' | 'modelIdleTimeoutMilliseconds'>,
  opened: AsyncDisposableStack,
): Promise<Model> {
  const offline = apiKey === undefined && baseUrl === undefined ? await createOfflineModelServer() : undefined;
  opened.defer(() => offline?.close());
  const model = createAnthropicModel({
    apiKey,
    baseUrl: offline?.url ?? baseUrl,
    model: name,
    idleTimeoutMilliseconds: modelIdleTimeoutMilliseconds,
  });
  opened.defer(model.close);
  return model;
}
