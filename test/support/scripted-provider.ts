import type { IncomingHttpHeaders } from 'node:http';
import {
  createProviderServer,
  type ProviderAnswer,
  type ProviderArrival,
  type ProviderRequest,
} from '../../server/embedded/provider-server.ts';

type TextBlock = { type: string; text: string; cache_control?: { type: string } };

/** A request body as this service sends it. */
export type SentBody = {
  model: string;
  max_tokens: number;
  stream: boolean;
  system: TextBlock[];
  messages: { role: string; content: string | TextBlock[] }[];
  output_config: { effort: string };
};

export type SentRequest = {
  body: SentBody;
  headers: IncomingHttpHeaders;
  /** resolves when the exchange is over: `left` where the service closed the connection before the answer had ended */
  ended: ProviderArrival['ended'];
};

type Script = ProviderAnswer | ((request: ProviderRequest) => ProviderAnswer | Promise<ProviderAnswer>);

/** What the provider says until a test scripts something else: two deltas, with a number of its own for every count. */
export const defaultReply = {
  text: 'Start with the first hypothesis.',
  answer: {
    steps: [{ text: 'Start with ' }, { text: 'the first hypothesis.' }],
    usage: { input_tokens: 101, output_tokens: 12, cache_read_input_tokens: 30, cache_creation_input_tokens: 40 },
  },
} satisfies { text: string; answer: ProviderAnswer };

/**
 * A model provider on loopback that does what a test tells it and remembers what it was sent, refused requests too.
 * Bodies must be JSON.
 */
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
      for (const arrived of watchers) arrived();
    },
  });

  /** The `count`th request (the first is 1), as soon as it has arrived. */
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
    /** exchanges that are under way */
    get open() {
      return open;
    },
    /** Sets what the next requests are answered with; an iterator in `steps` can be used only once, an array again. */
    answerWith(next: Script) {
      script = next;
    },
    /** Forgets the requests so far and goes back to the default reply. */
    reset() {
      requests.length = 0;
      script = defaultReply.answer;
    },
    close: server.close,
  };
}

export type ScriptedProvider = Awaited<ReturnType<typeof createScriptedProvider>>;

/** The provider's `error` event, as a step. */
export function errorEvent(type: string) {
  return { event: { type: 'error', error: { type, message: 'Scripted failure.' } } };
}

/** A delta of the model's thinking, as a step. */
export function thinking(text: string) {
  const delta = { type: 'thinking_delta', thinking: text };
  return { event: { type: 'content_block_delta', index: 0, delta } };
}
