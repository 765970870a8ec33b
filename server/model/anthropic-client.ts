import Anthropic from '@anthropic-ai/sdk';
import { type Agent, Dispatcher1Wrapper } from 'undici';

/**
 * The SDK's client, told everything here: left to itself it would look for keys, addresses, log levels and tracing in
 * the environment and in the home directory. (Only `ANTHROPIC_CUSTOM_HEADERS` it reads whatever it is told.)
 */
export function createAnthropicClient(options: {
  apiKey: string | undefined;
  baseUrl: string | undefined;
  agent: Agent;
  timeoutMilliseconds: number;
}): Anthropic {
  const { apiKey, baseUrl, agent, timeoutMilliseconds } = options;
  return new Anthropic({
    baseURL: baseUrl ?? 'https://api.anthropic.com',
    ...authentication(apiKey),
    webhookKey: null,
    timeout: timeoutMilliseconds,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
    fetchOptions: {
      // The agent is of the undici package, `fetch` of the one that Node bundles: the wrapper stands between the two.
      dispatcher: new Dispatcher1Wrapper(agent),
      // A redirect would take the prompt and the key to a host that nobody configured.
      redirect: 'error',
    },
  });
}

/** Without a key (a local compatible server) the SDK still wants one, so it gets a placeholder whose header is removed. */
function authentication(apiKey: string | undefined) {
  return apiKey === undefined
    ? { apiKey: 'none', authToken: null, defaultHeaders: { authorization: null } }
    : { apiKey, authToken: null };
}
