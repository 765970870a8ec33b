import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Strategy } from 'passport';

/** Far more than a token or a profile takes. */
const mostBytes = 1024 * 1024;

type Answered = (error: unknown, body?: unknown, response?: unknown) => void;

/** Node's `http` or `https`, as far as the client uses it. */
type Library = { request(options: RequestOptions): ClientRequest };

/** The part of the strategies' shared OAuth client through which each of their calls to a provider goes. */
type OAuthClient = {
  _useAuthorizationHeaderForGET: boolean;
  _executeRequest(library: Library, options: RequestOptions, body: unknown, answered: Answered): void;
};

/**
 * Makes a strategy's calls to its provider safe: they end after `timeoutMilliseconds`, the access token travels in a
 * header and never in an address, and an answer of an unexpected shape, or of more than 1 MiB, is an error of that call.
 * The client reads answers inside socket callbacks, where an exception would end the process, and keeps all of each.
 */
export function secureProviderCalls(strategy: Strategy, timeoutMilliseconds: number): void {
  const client: OAuthClient = Reflect.get(strategy, '_oauth2');
  const execute = client._executeRequest.bind(client);
  client._useAuthorizationHeaderForGET = true;
  client._executeRequest = (library, options, body, answered) => {
    const signal = AbortSignal.timeout(timeoutMilliseconds);
    execute(bounded(library), { ...options, signal }, body, (error, ...answer) => {
      try {
        answered(error, ...answer);
      } catch (cause) {
        answered(cause);
      }
    });
  };
}

/** A request whose answer is too long fails, and nothing more of it is read. */
function bounded(library: Library): Library {
  return {
    request(options) {
      const request = library.request(options);
      return request.on('response', (response: IncomingMessage) => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > mostBytes)
            request.destroy(Object.assign(new Error('Too long.'), { code: 'ERR_ANSWER_TOO_LONG' }));
        });
      });
    },
  };
}
