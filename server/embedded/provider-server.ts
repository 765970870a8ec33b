import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { ulid } from 'ulid';
import { z } from 'zod';
import { notBlank } from '../../shared/messages.ts';
import { listen } from '../http/http-server.ts';

export type ProviderRequest = {
  body: ProviderBody;
  headers: IncomingHttpHeaders;
  /** Aborts if the client disconnects before the end of the response. */
  disconnected: AbortSignal;
};

export type ProviderUsage = {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
};

export type ProviderEvent = { type: string; [key: string]: unknown };

/** A step between the first and the last events of a reply. */
export type ProviderStep =
  | { text: string }
  /** Sends the event unchanged. */
  | { event: ProviderEvent }
  /** Sends the bytes unchanged. */
  | { raw: string | Uint8Array }
  /** Pauses for milliseconds, or until the promise settles. */
  | { wait: number | Promise<unknown> }
  | { cut: true }
  /** Ends the response without the events that end a reply. */
  | { end: true };

export type ProviderAnswer =
  /** Responds with an HTTP status and the provider's error envelope. */
  | { refuse: { status: number; type: string; message: string; headers?: Record<string, string> } }
  /**
   * Streams the events that start a reply, the steps, and the events that end it. By default, `usage` is estimated,
   * `stopReason` is `end_turn`, and `model` is that of the request.
   */
  | {
      steps: Iterable<ProviderStep> | AsyncIterable<ProviderStep>;
      usage?: Partial<ProviderUsage>;
      stopReason?: string;
      model?: string;
    };

export type ReceivedProviderRequest = {
  text: string;
  headers: IncomingHttpHeaders;
  /** `disconnected` if the client, or a `cut` step, closed the connection before the end of the response. */
  ended: Promise<'answered' | 'disconnected'>;
};

/**
 * Starts a server on a free loopback port that implements the model provider's HTTP protocol: `POST /v1/messages`, its
 * validation, its error envelope and its event stream. `answer` returns the reply. `onArrival` is called for each
 * such request before validation. `close` destroys open connections.
 */
export async function createProviderServer(options: {
  answer: (request: ProviderRequest) => ProviderAnswer | Promise<ProviderAnswer>;
  onArrival?: (arrival: ReceivedProviderRequest) => void;
}): Promise<{ url: string; close(): Promise<void> }> {
  const { answer, onArrival } = options;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('request-id', `req_${ulid()}`);
    if (request.method !== 'POST' || request.url?.split('?')[0] !== '/v1/messages') {
      return refuse(response, { status: 404, type: 'not_found_error', message: 'Not found' });
    }
    const text = await readText(request);
    const { disconnected, ended } = watch(response);
    onArrival?.({ text, headers: request.headers, ended });
    const parsed = parseProviderBody(text);
    if ('problem' in parsed) {
      return refuse(response, { status: 400, type: 'invalid_request_error', message: parsed.problem });
    }
    const { body } = parsed;
    const result = await answer({ body, headers: request.headers, disconnected });
    if ('refuse' in result) return refuse(response, result.refuse);
    await writeProviderStream(
      response,
      { model: body.model, ...result },
      { inputTokens: estimateTokens(text.length), disconnected },
    );
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else refuse(response, { status: 500, type: 'api_error', message: String(error) });
    });
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0 });

  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function watch(response: ServerResponse): { disconnected: AbortSignal; ended: ReceivedProviderRequest['ended'] } {
  const controller = new AbortController();
  const ended = new Promise<'answered' | 'disconnected'>((resolve) => {
    response.once('close', () => {
      if (response.writableFinished) return resolve('answered');
      controller.abort();
      resolve('disconnected');
    });
  });
  return { disconnected: controller.signal, ended };
}

function refuse(response: ServerResponse, refusal: Extract<ProviderAnswer, { refuse: unknown }>['refuse']): void {
  const { status, type, message, headers } = refusal;
  const body = { type: 'error', error: { type, message }, request_id: response.getHeader('request-id') };
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

type Stream = Extract<ProviderAnswer, { steps: unknown }>;

/**
 * Writes a reply as the provider's event stream. Each event is flushed before the next step runs. `inputTokens` is the
 * default of `usage.input_tokens`. Stops once `disconnected` aborts.
 */
async function writeProviderStream(
  response: ServerResponse,
  { steps, usage = {}, stopReason = 'end_turn', model }: Stream & { model: string },
  { inputTokens, disconnected }: { inputTokens: number; disconnected: AbortSignal },
): Promise<void> {
  const write = (bytes: string | Uint8Array) => new Promise<void>((resolve) => response.write(bytes, () => resolve()));
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
    if (disconnected.aborted) return;
    if ('cut' in step) return void response.destroy();
    if ('end' in step) return void response.end();
    if ('wait' in step) await pause(step.wait, disconnected);
    if ('raw' in step) await write(step.raw);
    if ('event' in step) await writeEvent(step.event);
    if ('text' in step) {
      characters += step.text.length;
      await writeEvent({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: step.text } });
    }
    if (disconnected.aborted) return;
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

function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

async function pause(wait: number | Promise<unknown>, signal: AbortSignal): Promise<void> {
  const paused =
    typeof wait === 'number' ? delay(wait, undefined, { signal }) : Promise.race([wait, once(signal, 'abort')]);
  await Promise.allSettled([paused]);
}

const cacheControlSchema = z.looseObject({ type: z.literal('ephemeral') }).nullish();

const blockSchema = z.looseObject({
  type: z.literal('text'),
  text: z.string().regex(notBlank, 'text content blocks must contain non-whitespace text'),
  cache_control: cacheControlSchema,
});

const messageSchema = z.looseObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string().regex(notBlank, 'messages must have non-empty content'), z.array(blockSchema).min(1)]),
});

/** The part of the provider's request that this service uses. Unknown fields are preserved. */
const providerBodySchema = z.looseObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  messages: z
    .array(messageSchema)
    .min(1, 'at least one message is required')
    .refine((messages) => messages.at(-1)?.role !== 'assistant', 'the conversation must end with a user message'),
  system: z.union([z.string(), z.array(blockSchema)]).optional(),
  output_config: z.looseObject({ effort: z.enum(['low', 'medium', 'high', 'max']).optional() }).optional(),
});

export type ProviderBody = z.infer<typeof providerBodySchema>;

const maxBreakpoints = 4;

/** Validates a request body as the provider does. `problem` is the provider's error message. */
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

export function contentText(content: ProviderBody['messages'][number]['content']): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('\n\n');
}
