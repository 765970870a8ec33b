import Anthropic from '@anthropic-ai/sdk';
import type { Agent } from 'undici';
import { createStreamedFetch } from './streamed-fetch.ts';

/**
 * The SDK's client, told everything here: left to itself it would look for keys, addresses, log levels and tracing in
 * the environment and in the home directory. (Only `ANTHROPIC_CUSTOM_HEADERS` it reads whatever it is told.)
 */
export function createAnthropicClient(options: {
  apiKey: string | undefined;
  baseUrl: string;
  agent: Agent;
  timeoutMilliseconds: number;
}): Anthropic {
  const { apiKey, baseUrl, agent, timeoutMilliseconds } = options;
  return new Anthropic({
    baseURL: baseUrl,
    ...authentication(apiKey),
    webhookKey: null,
    timeout: timeoutMilliseconds,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
    fetch: createStreamedFetch(agent),
  });
}

/** Without a key (a local compatible server) the SDK still wants one, so it gets a placeholder whose header is removed. */
function authentication(apiKey: string | undefined) {
  return apiKey === undefined
    ? { apiKey: 'none', authToken: null, defaultHeaders: { authorization: null } }
    : { apiKey, authToken: null };
}
