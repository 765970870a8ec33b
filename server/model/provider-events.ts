import { StringDecoder } from 'node:string_decoder';
import { APIError } from '@anthropic-ai/sdk';
import { createParser, type ParseError } from 'eventsource-parser';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import type { ErrorCode } from '../../shared/errors.ts';
import { isObject } from '../../shared/is-object.ts';
import { AppError } from '../app-error.ts';

export type Usage = { inputTokens: number; outputTokens: number; cacheReadTokens: number; cacheCreateTokens: number };

export type ReplyProgress = {
  usage: Usage;
  model: string;
  stopReason: string | null;
  /** True once `message_stop` has arrived, the only proof that a reply is complete. An interleaved reply makes it false. */
  finished: boolean;
  /** The bytes of all content in UTF-8, including thinking and signatures. */
  streamedBytes: number;
  maxBytes: number;
  /** Undefined before `message_start`, null if that event has no id. */
  messageId: string | null | undefined;
  /** A high surrogate at the end of a delta, held until its other half arrives, or ''. */
  highSurrogate: string;
};

/** Far above any real event, and low enough that many endless events cannot exhaust the memory of the process. */
const maxEventCharacters = 1024 * 1024;

/** Decodes the chunks of one event stream, which can be split anywhere, into the JSON of its events. */
export function createEventDecoder() {
  const text = new StringDecoder('utf8');
  let parsed: (string | ParseError)[] = [];
  const parser = createParser({
    maxBufferSize: maxEventCharacters,
    onEvent: ({ data }) => parsed.push(data),
    onError: (error) => parsed.push(error),
  });

  return {
    /** Yields the events that `bytes` complete. Throws at the first malformed one. */
    *decode(bytes: Buffer): Generator<unknown> {
      parser.feed(text.write(bytes));
      const complete = parsed;
      parsed = [];
      for (const item of complete) {
        if (item instanceof Error) throw item;
        yield JSON.parse(item);
      }
    },
  };
}

/** Low enough that the sum of a reply's four counts fits into a PostgreSQL integer. */
const maxTokenCount = 2 ** 28;

/** The model, the stop reason and the id of the reply are stored or kept in memory. */
const maxNameCharacters = 128;

/** Compatible servers omit the values that they do not know, or set them to null. */
const countSchema = z.int().min(0).max(maxTokenCount).nullish().catch(null);
const nameSchema = z
  .string()
  .transform((text) => text.slice(0, maxNameCharacters))
  .nullish()
  .catch(null);

/** Counts are cumulative, and an event can omit those that have not changed. */
const usageSchema = z
  .object({
    input_tokens: countSchema,
    output_tokens: countSchema,
    cache_read_input_tokens: countSchema,
    cache_creation_input_tokens: countSchema,
  })
  .nullish()
  .catch(null);

const eventSchema = z.looseObject({ type: z.string() });
const messageStartSchema = z.object({
  message: z.object({ id: nameSchema, model: nameSchema, usage: usageSchema }).nullish(),
});
const contentBlockStartSchema = z.object({ content_block: eventSchema });
const contentBlockDeltaSchema = z.object({ delta: eventSchema });
const textSchema = z.object({ text: z.string() });
const messageDeltaSchema = z.object({ delta: z.object({ stop_reason: nameSchema }).nullish(), usage: usageSchema });

export function createProgress(model: string, maxBytes: number): ReplyProgress {
  return {
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreateTokens: 0 },
    model,
    stopReason: null,
    finished: false,
    streamedBytes: 0,
    maxBytes,
    messageId: undefined,
    highSurrogate: '',
  };
}

/**
 * Updates `progress` with one event of the provider's stream and returns the text that the event adds, or ''. Throws
 * the provider's error for an `error` event. Also throws if an event does not match the schema of its type, if two
 * replies are interleaved, and once the reply exceeds `maxBytes`.
 */
export function applyEvent(progress: ReplyProgress, data: unknown): string {
  if (isTextDelta(data)) return addText(progress, data.delta.text);
  const event = eventSchema.parse(data);
  switch (event.type) {
    case 'message_start': {
      const { id = null, model, usage } = messageStartSchema.parse(event).message ?? {};
      const { messageId, streamedBytes } = progress;
      if (messageId === undefined ? streamedBytes > 0 : messageId !== id) {
        throw interleavedReplyError(progress, 'Another message started within the reply.');
      }
      progress.messageId = id;
      progress.model = model || progress.model;
      progress.usage = updatedUsage(progress.usage, usage);
      return '';
    }
    case 'content_block_start':
      return addContent(progress, contentBlockStartSchema.parse(event).content_block);
    case 'content_block_delta':
      return addContent(progress, contentBlockDeltaSchema.parse(event).delta);
    case 'message_delta': {
      const { delta, usage } = messageDeltaSchema.parse(event);
      progress.stopReason = delta?.stop_reason ?? progress.stopReason;
      progress.usage = updatedUsage(progress.usage, usage);
      return '';
    }
    case 'message_stop': {
      const isHalf = progress.highSurrogate !== '';
      progress.highSurrogate = '';
      progress.finished = true;
      return isHalf ? '\uFFFD' : '';
    }
    case 'error':
      throw new APIError(undefined, event, undefined, undefined);
    default:
      return '';
  }
}

/** `content` is a new block or a delta. */
function addContent(progress: ReplyProgress, content: z.infer<typeof eventSchema>): string {
  const { type, ...fields } = content;
  if (type === 'text') return addText(progress, textSchema.parse({ text: fields.text ?? '' }).text);
  if (type === 'text_delta') return addText(progress, textSchema.parse(fields).text);
  for (const field of Object.values(fields)) {
    countBytes(progress, Buffer.byteLength(typeof field === 'string' ? field : JSON.stringify(field)));
  }
  return '';
}

/** Holds a high surrogate at the end until the next delta: encoded without its other half, it would become U+FFFD. */
function addText(progress: ReplyProgress, delta: string): string {
  countBytes(progress, Buffer.byteLength(delta));
  const text = progress.highSurrogate + delta;
  const isComplete = !/[\uD800-\uDBFF]$/.test(text);
  progress.highSurrogate = isComplete ? '' : text.slice(-1);
  return isComplete ? text : text.slice(0, -1);
}

function countBytes(progress: ReplyProgress, bytes: number): void {
  if (progress.finished && bytes > 0) throw interleavedReplyError(progress, 'Content followed message_stop.');
  progress.streamedBytes += bytes;
  if (progress.streamedBytes > progress.maxBytes)
    throw new Error(`The reply has more than ${progress.maxBytes} bytes.`);
}

/** Marks the reply as not finished, because it is unknown which of the interleaved replies answers the request. */
function interleavedReplyError(progress: ReplyProgress, sentence: string): Error {
  progress.finished = false;
  return new Error(sentence);
}

/** Checks the most frequent event without a schema, which would cost more than the rest of its processing. */
function isTextDelta(event: unknown): event is { delta: { text: string } } {
  return (
    isObject(event) &&
    event.type === 'content_block_delta' &&
    isObject(event.delta) &&
    event.delta.type === 'text_delta' &&
    typeof event.delta.text === 'string'
  );
}

function updatedUsage(usage: Usage, reported: z.infer<typeof usageSchema>): Usage {
  return {
    inputTokens: reported?.input_tokens ?? usage.inputTokens,
    outputTokens: reported?.output_tokens ?? usage.outputTokens,
    cacheReadTokens: reported?.cache_read_input_tokens ?? usage.cacheReadTokens,
    cacheCreateTokens: reported?.cache_creation_input_tokens ?? usage.cacheCreateTokens,
  };
}

/** The error codes of a response that fails before its stream starts, by status. */
const codesByStatus = new Map<number, ErrorCode>([
  [400, 'UPSTREAM_BAD_REQUEST'],
  [401, 'UPSTREAM_AUTH'],
  [403, 'UPSTREAM_AUTH'],
  [413, 'UPSTREAM_BAD_REQUEST'],
  [422, 'UPSTREAM_BAD_REQUEST'],
  [529, 'UPSTREAM_OVERLOADED'],
]);

/** The error codes of an `error` event in a stream, by type, because the event has no status. */
const codesByType = new Map<string, ErrorCode>([
  ['authentication_error', 'UPSTREAM_AUTH'],
  ['permission_error', 'UPSTREAM_AUTH'],
  ['invalid_request_error', 'UPSTREAM_BAD_REQUEST'],
  ['request_too_large', 'UPSTREAM_BAD_REQUEST'],
]);

/** Far above any real error body. The rest of a longer one is discarded. */
const maxErrorBytes = 65_536;

export async function readErrorResponse({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<APIError> {
  const text = await readStart(body);
  const headerPairs = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return APIError.generate(statusCode, parseJson(text), text, new Headers(headerPairs));
}

async function readStart(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxErrorBytes) break;
  }
  return Buffer.concat(chunks).toString();
}

function parseJson(text: string): object | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Translates any failure of the provider. An unknown one becomes `UPSTREAM_ERROR`. */
export function providerError(cause: unknown): AppError {
  return new AppError(providerErrorCode(cause), { cause });
}

function providerErrorCode(error: unknown): ErrorCode {
  if (!(error instanceof APIError)) return 'UPSTREAM_ERROR';
  if (error.type === 'overloaded_error') return 'UPSTREAM_OVERLOADED';
  const code = error.status === undefined ? codesByType.get(error.type ?? '') : codesByStatus.get(error.status);
  return code ?? 'UPSTREAM_ERROR';
}
