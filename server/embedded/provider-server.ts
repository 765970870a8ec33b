import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { ulid } from 'ulid';
import { z } from 'zod';
import { notBlank } from '../../shared/messages.ts';

/** A request that passed the provider's checks. */
export type ProviderRequest = {
  body: ProviderBody;
  headers: IncomingHttpHeaders;
  /** aborted when the client leaves before the answer has ended */
  left: AbortSignal;
};

/** Token counts in the provider's own names. */
export type ProviderUsage = {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
};

export type ProviderEvent = { type: string; [key: string]: unknown };

/** One thing that happens between the start of a reply and its end. */
export type ProviderStep =
  /** one text delta */
  | { text: string }
  /** any event, as it is */
  | { event: ProviderEvent }
  /** any bytes, as they are */
  | { raw: string | Uint8Array }
  /** a pause: milliseconds, or until the promise settles */
  | { wait: number | Promise<unknown> }
  /** the connection breaks */
  | { cut: true }
  /** the response ends, without the events that end a reply */
  | { end: true };

export type ProviderAnswer =
  /** before the stream: an HTTP status and the provider's error envelope */
  | { refuse: { status: number; type: string; message: string; headers?: Record<string, string> } }
  /**
   * A stream: the events that start a reply, the steps, and the events that end it.
   * `usage` is estimated where it is not given, `stopReason` is `end_turn`, `model` the one that was asked for.
   */
  | {
      steps: Iterable<ProviderStep> | AsyncIterable<ProviderStep>;
      usage?: Partial<ProviderUsage>;
      stopReason?: string;
      model?: string;
    };

/** A request as it arrived, whether or not it passes the provider's checks. */
export type ProviderArrival = {
  text: string;
  headers: IncomingHttpHeaders;
  /** `left` where the connection closed before the answer had ended: the client left, or a step cut it */
  ended: Promise<'answered' | 'left'>;
};

/**
 * Starts a server on a free loopback port that speaks the model provider's HTTP protocol: `POST /v1/messages`, its
 * checks, its error envelope and its event stream. `answer` decides what is said; `onArrival` sees every request first.
 * Closing it breaks the connections that are still open.
 */
export async function createProviderServer(options: {
  answer: (request: ProviderRequest) => ProviderAnswer | Promise<ProviderAnswer>;
  onArrival?: (arrival: ProviderArrival) => void;
}): Promise<{ url: string; close(): Promise<void> }> {
  const { answer, onArrival } = options;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('request-id', `req_${ulid()}`);
    if (request.method !== 'POST' || request.url?.split('?')[0] !== '/v1/messages') {
      return refuse(response, { status: 404, type: 'not_found_error', message: 'Not found' });
    }
    const text = await readText(request);
    const { left, ended } = watch(response);
    onArrival?.({ text, headers: request.headers, ended });
    const parsed = parseProviderBody(text);
    if ('problem' in parsed) {
      return refuse(response, { status: 400, type: 'invalid_request_error', message: parsed.problem });
    }
    const { body } = parsed;
    const given = await answer({ body, headers: request.headers, left });
    if ('refuse' in given) return refuse(response, given.refuse);
    await writeProviderStream(
      response,
      { model: body.model, ...given },
      { inputTokens: estimateTokens(text.length), left },
    );
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else refuse(response, { status: 500, type: 'api_error', message: String(error) });
    });
  });
  // A connection that finds the queue full looks open to its client, and is silent.
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The provider server has no port.');

  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function watch(response: ServerResponse): { left: AbortSignal; ended: ProviderArrival['ended'] } {
  const leaving = new AbortController();
  const ended = new Promise<'answered' | 'left'>((resolve) => {
    response.once('close', () => {
      if (response.writableFinished) return resolve('answered');
      leaving.abort();
      resolve('left');
    });
  });
  return { left: leaving.signal, ended };
}

function refuse(response: ServerResponse, refusal: Extract<ProviderAnswer, { refuse: unknown }>['refuse']): void {
  const { status, type, message, headers } = refusal;
  const body = { type: 'error', error: { type, message }, request_id: response.getHeader('request-id') };
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

type Stream = Extract<ProviderAnswer, { steps: unknown }>;

/**
 * Writes a reply as the provider's event stream, each event by a write of its own that has left the process before the
 * next step is taken. `inputTokens` stands in for a usage that `answer` does not give; `left` ends the stream early.
 */
async function writeProviderStream(
  response: ServerResponse,
  { steps, usage = {}, stopReason = 'end_turn', model }: Stream & { model: string },
  { inputTokens, left }: { inputTokens: number; left: AbortSignal },
): Promise<void> {
  const write = (bytes: string | Uint8Array) => new Promise<void>((written) => response.write(bytes, () => written()));
  const writeEvent = (event: ProviderEvent) => write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  const started: ProviderUsage = {
    input_tokens: inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    ...usage,
    output_tokens: 1,
  };

  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  const message = { id: `msg_${ulid()}`, type: 'message', role: 'assistant', model, content: [] };
  await writeEvent({
    type: 'message_start',
    message: { ...message, stop_reason: null, stop_sequence: null, usage: started },
  });
  await writeEvent({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  await writeEvent({ type: 'ping' });

  let characters = 0;
  for await (const step of steps) {
    if (left.aborted) return;
    if ('cut' in step) return void response.destroy();
    if ('end' in step) return void response.end();
    if ('wait' in step) await pause(step.wait, left);
    if ('raw' in step) await write(step.raw);
    if ('event' in step) await writeEvent(step.event);
    if ('text' in step) {
      characters += step.text.length;
      await writeEvent({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: step.text } });
    }
    if (left.aborted) return;
  }

  await writeEvent({ type: 'content_block_stop', index: 0 });
  await writeEvent({
    type: 'message_delta',
    delta: { stop_reason: stopReason, stop_sequence: null },
    usage: { ...started, output_tokens: usage.output_tokens ?? estimateTokens(characters) },
  });
  await writeEvent({ type: 'message_stop' });
  response.end();
}

/** About four characters make a token. */
function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

async function pause(wait: number | Promise<unknown>, left: AbortSignal): Promise<void> {
  const over =
    typeof wait === 'number' ? delay(wait, undefined, { signal: left }) : Promise.race([wait, once(left, 'abort')]);
  await Promise.allSettled([over]);
}

const cacheControl = z.looseObject({ type: z.literal('ephemeral') }).nullish();

const textBlock = z.looseObject({
  type: z.literal('text'),
  text: z.string().regex(notBlank, 'text content blocks must contain non-whitespace text'),
  cache_control: cacheControl,
});

const message = z.looseObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string().regex(notBlank, 'messages must have non-empty content'), z.array(textBlock).min(1)]),
});

/** What the provider's message endpoint takes, as far as this service uses it; unknown fields are kept. */
const providerBodySchema = z.looseObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  messages: z
    .array(message)
    .min(1, 'at least one message is required')
    .refine((messages) => messages.at(-1)?.role !== 'assistant', 'the conversation must end with a user message'),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  output_config: z.looseObject({ effort: z.enum(['low', 'medium', 'high', 'max']).optional() }).optional(),
});

export type ProviderBody = z.infer<typeof providerBodySchema>;

const maxBreakpoints = 4;

/** Parses and checks a request body as the provider does: what it would refuse comes back as the sentence of its refusal. */
function parseProviderBody(text: string): { body: ProviderBody } | { problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { problem: 'The request body is not valid JSON.' };
  }
  const { data: body, error } = providerBodySchema.safeParse(json);
  if (error !== undefined) return { problem: firstProblem(error) };
  const breakpoints = countBreakpoints(body);
  if (breakpoints > maxBreakpoints) {
    return {
      problem: `A maximum of ${maxBreakpoints} blocks with cache_control may be provided. Found ${breakpoints}.`,
    };
  }
  return { body };
}

function firstProblem({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return 'The request is not valid.';
  const path = issue.path.join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}

function countBreakpoints({ system, messages }: ProviderBody): number {
  const contents = [system, ...messages.map(({ content }) => content)];
  return contents
    .flatMap((content) => (Array.isArray(content) ? content : []))
    .filter((block) => block.cache_control != null).length;
}

/** The plain text of `content`, its blocks as paragraphs. */
export function contentText(content: ProviderBody['messages'][number]['content']): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('\n\n');
}
