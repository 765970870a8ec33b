import {
  createAnthropicModel,
  type Model,
  type ModelRequest,
  type TextSink,
} from '../../../server/model/anthropic-model.ts';

export const request: ModelRequest = {
  prompt: {
    system: [{ type: 'text', text: 'You advise.', cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: 'What next?' }],
  },
  maxTokens: 4096,
  effort: 'high',
};

export function createTestModel(baseUrl: string, idleTimeoutMilliseconds = 10_000, proxy?: string) {
  return createAnthropicModel({
    apiKey: 'test-key',
    baseUrl,
    model: 'configured-model',
    idleTimeoutMilliseconds,
    proxy,
  });
}

export async function ask(
  model: Model,
  { onText = () => {}, signal = new AbortController().signal }: { onText?: TextSink; signal?: AbortSignal } = {},
) {
  const deltas: string[] = [];
  const result = await model.start(request, signal).stream((delta) => {
    deltas.push(delta);
    return onText(delta);
  });
  return { ...result, deltas };
}
