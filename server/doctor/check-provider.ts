import type { ErrorCode } from '../../shared/errors.ts';
import type { Config } from '../config/config.ts';
import { createAnthropicModel } from '../model/anthropic-model.ts';
import { systemBlock } from '../prompt/system-block.ts';
import { type Finding, findingsOn, reasonOf } from './finding.ts';

const { ok, failed, skipped } = findingsOn('Model');

const advice: Partial<Record<ErrorCode, string>> = {
  UPSTREAM_AUTH: 'Check ANTHROPIC_API_KEY: the provider does not accept it for this model.',
  UPSTREAM_BAD_REQUEST: 'Check ANTHROPIC_MODEL: the provider does not accept this request.',
  UPSTREAM_OVERLOADED: 'The provider is busy: try again in a while.',
  UPSTREAM_ERROR: 'Check ANTHROPIC_MODEL, ANTHROPIC_BASE_URL and the way out to the provider.',
};

/** Whether the model provider answers: one small request, the way that turns are sent. */
export async function checkProvider({ model: settings, modelIdleTimeoutMilliseconds }: Config): Promise<Finding[]> {
  const { apiKey, baseUrl, name } = settings;
  if (apiKey === undefined && baseUrl === undefined) {
    return [skipped('ANTHROPIC_API_KEY is not set: the offline stand-in answers.')];
  }
  const model = createAnthropicModel({
    apiKey,
    baseUrl,
    model: name,
    idleTimeoutMilliseconds: modelIdleTimeoutMilliseconds,
  });
  const startedAt = performance.now();
  const { error, model: answeredBy } = await model.reply(
    {
      system: [systemBlock('Answer in one word.')],
      messages: [{ role: 'user', content: 'Say hello.' }],
      maxTokens: 64,
      effort: 'medium',
    },
    () => undefined,
    new AbortController().signal,
  );
  await model.close();
  if (error !== null) return [failed(`${error.code} (${reasonOf(error)}). ${advice[error.code] ?? ''}`)];
  return [ok(`${answeredBy} answers; the whole reply took ${Math.round(performance.now() - startedAt)} ms.`)];
}
