import type { RequestOptions } from 'node:http';
import type { Strategy } from 'passport';

type Answered = (error: unknown, body?: unknown, response?: unknown) => void;

/** The part of the strategies' shared OAuth client through which each of their calls to a provider goes. */
type OAuthClient = {
  _useAuthorizationHeaderForGET: boolean;
  _executeRequest(library: unknown, options: RequestOptions, body: unknown, answered: Answered): void;
};

/**
 * Makes a strategy's calls to its provider safe: they end after `timeoutMilliseconds`, the access token travels in a
 * header and never in an address, and an answer of an unexpected shape is an error of that call. The client reads
 * answers inside socket callbacks, where an exception would end the process.
 */
export function secureProviderCalls(strategy: Strategy, timeoutMilliseconds: number): void {
  const client: OAuthClient = Reflect.get(strategy, '_oauth2');
  const execute = client._executeRequest.bind(client);
  client._useAuthorizationHeaderForGET = true;
  client._executeRequest = (library, options, body, answered) => {
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    execute(library, { ...options, signal }, body, (error, ...answer) => {
      try {
        answered(error, ...answer);
      } catch (cause) {
        answered(cause);
      }
    });
  };
}
