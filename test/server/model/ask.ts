import {
  createAnthropicModel,
  type Model,
  type ModelRequest,
  type TextSink,
} from '../../../server/model/anthropic-model.ts';

export const request: ModelRequest = {
  prompt: () => ({
    system: [{ type: 'text', text: 'You advise.', cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: 'What next?' }],
  }),
  maxTokens: 4096,
  effort: 'high',
};

export function createTestModel(baseUrl: string, idleTimeoutMilliseconds = 10_000) {
  return createAnthropicModel({ apiKey: 'test-key', baseUrl, model: 'configured-model', idleTimeoutMilliseconds });
}

/** Requests one reply and returns the outcome with its deltas. */
export async function ask(
  model: Model,
  { onText = () => {}, signal = new AbortController().signal }: { onText?: TextSink; signal?: AbortSignal } = {},
) {
  const deltas: string[] = [];
  const outcome = await model.reply(
    request,
    (delta) => {
      deltas.push(delta);
      return onText(delta);
    },
    signal,
  );
  return { ...outcome, deltas };
}
