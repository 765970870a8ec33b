import Anthropic from '@anthropic-ai/sdk';
import type { RequestHead } from './streamed-response.ts';

/**
 * The SDK's client, told everything here: left to itself it would look for keys, addresses, log levels and tracing in
 * the environment and in the home directory. (Only `ANTHROPIC_CUSTOM_HEADERS` it reads whatever it is told.)
 */
export function createAnthropicClient(options: {
  apiKey: string | undefined;
  baseUrl: string;
  timeoutMilliseconds: number;
}): Anthropic {
  const { apiKey, baseUrl, timeoutMilliseconds } = options;
  return new Anthropic({
    baseURL: baseUrl,
    ...authentication(apiKey),
    webhookKey: null,
    timeout: timeoutMilliseconds,
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
  });
}

/** Without a key (a local compatible server) the SDK still wants one, so it gets a placeholder whose header is removed. */
function authentication(apiKey: string | undefined) {
  return apiKey === undefined
    ? { apiKey: 'none', authToken: null, defaultHeaders: { authorization: null } }
    : { apiKey, authToken: null };
}

/** What the SDK sends before the body of every request for a reply: address, version, credentials. */
export async function messagesHead(client: Anthropic): Promise<RequestHead> {
  const { url, req } = await client.buildRequest({ method: 'post', path: '/v1/messages', body: {}, stream: true });
  const { origin, pathname, search } = new URL(url);
  return { origin, path: `${pathname}${search}`, method: 'POST', headers: [...req.headers].flat() };
}
