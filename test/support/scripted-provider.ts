import type { IncomingHttpHeaders } from 'node:http';
import {
  createProviderServer,
  type ProviderAnswer,
  type ProviderRequest,
  type ReceivedProviderRequest,
} from '../../server/embedded/provider-server.ts';

type TextBlock = { type: string; text: string; cache_control?: { type: string } };

type SentBody = {
  model: string;
  max_tokens: number;
  stream: boolean;
  system: TextBlock[];
  messages: { role: string; content: string | TextBlock[] }[];
  output_config: { effort: string };
};

type SentRequest = {
  body: SentBody;
  headers: IncomingHttpHeaders;
  /** Resolves when the exchange ends; with `disconnected` if the service closed the connection before the response was complete. */
  ended: ReceivedProviderRequest['ended'];
};

type Script = ProviderAnswer | ((request: ProviderRequest) => ProviderAnswer | Promise<ProviderAnswer>);

/** The reply if the test has scripted no other: two deltas, with a different number for each token count. */
export const defaultReply = {
  text: 'Start with the first hypothesis.',
  answer: {
    steps: [{ text: 'Start with ' }, { text: 'the first hypothesis.' }],
    usage: { input_tokens: 101, output_tokens: 12, cache_read_input_tokens: 30, cache_creation_input_tokens: 40 },
  },
} satisfies { text: string; answer: ProviderAnswer };

/** Records every request, including those that it rejects. Bodies must be JSON. */
export async function createScriptedProvider() {
  const requests: SentRequest[] = [];
  const watchers = new Set<() => void>();
  let script: Script = defaultReply.answer;
  let open = 0;

  const server = await createProviderServer({
    answer: (request) => (typeof script === 'function' ? script(request) : script),
    onArrival({ text, headers, ended }) {
      open += 1;
      void ended.then(() => {
        open -= 1;
      });
      requests.push({ body: JSON.parse(text), headers, ended });
      for (const notify of watchers) notify();
    },
  });

  /** Resolves with the `count`th request, counted from 1, as soon as it has arrived. */
  async function request(count: number): Promise<SentRequest> {
    for (;;) {
      const sent = requests[count - 1];
      if (sent !== undefined) return sent;
      const { promise, resolve } = Promise.withResolvers<void>();
      watchers.add(resolve);
      await promise;
      watchers.delete(resolve);
    }
  }

  return {
    url: server.url,
    requests,
    request,
    get open() {
      return open;
    },
    /** Scripts the answer to all following requests. An iterator in `steps` serves only one of them, an array all. */
    answerWith(next: Script) {
      script = next;
    },
    reset() {
      requests.length = 0;
      script = defaultReply.answer;
    },
    close: server.close,
  };
}

export type ScriptedProvider = Awaited<ReturnType<typeof createScriptedProvider>>;

export function errorEvent(type: string) {
  return { event: { type: 'error', error: { type, message: 'Scripted failure.' } } };
}

export function thinking(text: string) {
  const delta = { type: 'thinking_delta', thinking: text };
  return { event: { type: 'content_block_delta', index: 0, delta } };
}
