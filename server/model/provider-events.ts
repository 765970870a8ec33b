import { StringDecoder } from 'node:string_decoder';
import { APIError } from '@anthropic-ai/sdk';
import { createParser, type ParseError } from 'eventsource-parser';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import type { ErrorCode } from '../../shared/errors.ts';
import { isObject } from '../../shared/is-object.ts';
import { AppError } from '../app-error.ts';

/** Token counts of one reply, as the provider states them. */
export type Usage = { inputTokens: number; outputTokens: number; cacheReadTokens: number; cacheCreateTokens: number };

/** What is known of a reply so far. */
export type ReplyProgress = {
  usage: Usage;
  model: string;
  stopReason: string | null;
  /** `message_stop` was seen: the one sign that a reply is whole */
  finished: boolean;
  /** in UTF-8, of all content: thinking and signatures too */
  streamedBytes: number;
  /** a reply with more is not read to its end */
  maxBytes: number;
  /** undefined before `message_start`, null if that states none */
  messageId: string | null | undefined;
  /** a high surrogate that ended a delta and waits for its other half, or '' */
  highSurrogate: string;
};

/** Far above any real event, and low enough that many events without an end cannot exhaust the process. */
const maxEventCharacters = 1024 * 1024;

/** Turns the bytes of one event stream, however they were cut into packets, into the JSON of its events. */
export function createEventDecoder() {
  const text = new StringDecoder('utf8');
  let parsed: (string | ParseError)[] = [];
  const parser = createParser({
    maxBufferSize: maxEventCharacters,
    onEvent: ({ data }) => parsed.push(data),
    onError: (error) => parsed.push(error),
  });

  return {
    /** Yields the events that `bytes` complete, up to the first malformed one, which throws. */
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

/** Low enough that the four counts of a reply add up to an integer that the database holds. */
const maxTokenCount = 2 ** 28;

/** Compatible servers leave out, or set to null, whatever they do not know. */
const tokens = z.int().min(0).max(maxTokenCount).nullish().catch(null);
const name = z.string().nullish().catch(null);

/** Counts are cumulative, and an event may leave out those that it does not change. */
const usageSchema = z
  .object({
    input_tokens: tokens,
    output_tokens: tokens,
    cache_read_input_tokens: tokens,
    cache_creation_input_tokens: tokens,
  })
  .nullish()
  .catch(null);

const eventSchema = z.looseObject({ type: z.string() });
const messageStartSchema = z.object({ message: z.object({ id: name, model: name, usage: usageSchema }).nullish() });
const contentBlockStartSchema = z.object({ content_block: eventSchema });
const contentBlockDeltaSchema = z.object({ delta: eventSchema });
const textSchema = z.object({ text: z.string() });
const messageDeltaSchema = z.object({ delta: z.object({ stop_reason: name }).nullish(), usage: usageSchema });

export function startProgress(model: string, maxBytes: number): ReplyProgress {
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
 * Takes one event of the provider's stream into `progress` and returns the text that it adds, if any.
 * Throws the provider's error on an `error` event; throws on an event that does not have its type's shape, on one that
 * shows that two replies were mixed up, and once the reply exceeds `maxBytes`.
 */
export function takeEvent(progress: ReplyProgress, data: unknown): string {
  if (isTextDelta(data)) return takeText(progress, data.delta.text);
  const event = eventSchema.parse(data);
  switch (event.type) {
    case 'message_start': {
      const { id = null, model, usage } = messageStartSchema.parse(event).message ?? {};
      const { messageId, streamedBytes } = progress;
      if (messageId === undefined ? streamedBytes > 0 : messageId !== id) {
        throw mixedUp(progress, 'Another message began within the reply.');
      }
      progress.messageId = id;
      progress.model = model || progress.model;
      progress.usage = updatedUsage(progress.usage, usage);
      return '';
    }
    case 'content_block_start':
      return takeContent(progress, contentBlockStartSchema.parse(event).content_block);
    case 'content_block_delta':
      return takeContent(progress, contentBlockDeltaSchema.parse(event).delta);
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

/** A block as it begins, or what a delta adds to it. */
function takeContent(progress: ReplyProgress, content: z.infer<typeof eventSchema>): string {
  const { type, ...parts } = content;
  if (type === 'text') return takeText(progress, textSchema.parse({ text: parts.text ?? '' }).text);
  if (type === 'text_delta') return takeText(progress, textSchema.parse(parts).text);
  for (const part of Object.values(parts)) {
    count(progress, Buffer.byteLength(typeof part === 'string' ? part : JSON.stringify(part)));
  }
  return '';
}

/** Holds back a high surrogate at the end: written by itself, it would become U+FFFD. */
function takeText(progress: ReplyProgress, delta: string): string {
  count(progress, Buffer.byteLength(delta));
  const text = progress.highSurrogate + delta;
  const isComplete = !/[\uD800-\uDBFF]$/.test(text);
  progress.highSurrogate = isComplete ? '' : text.slice(-1);
  return isComplete ? text : text.slice(0, -1);
}

function count(progress: ReplyProgress, bytes: number): void {
  if (progress.finished && bytes > 0) throw mixedUp(progress, 'Content followed message_stop.');
  progress.streamedBytes += bytes;
  if (progress.streamedBytes > progress.maxBytes)
    throw new Error(`The reply has more than ${progress.maxBytes} bytes.`);
}

/** Nothing says which of the replies was asked for, so neither is whole. */
function mixedUp(progress: ReplyProgress, sentence: string): Error {
  progress.finished = false;
  return new Error(sentence);
}

/** By hand for the event that nearly all are: with its schema, the check costs more than everything else that is done. */
function isTextDelta(event: unknown): event is { delta: { text: string } } {
  return (
    isObject(event) &&
    event.type === 'content_block_delta' &&
    isObject(event.delta) &&
    event.delta.type === 'text_delta' &&
    typeof event.delta.text === 'string'
  );
}

function updatedUsage(known: Usage, stated: z.infer<typeof usageSchema>): Usage {
  return {
    inputTokens: stated?.input_tokens ?? known.inputTokens,
    outputTokens: stated?.output_tokens ?? known.outputTokens,
    cacheReadTokens: stated?.cache_read_input_tokens ?? known.cacheReadTokens,
    cacheCreateTokens: stated?.cache_creation_input_tokens ?? known.cacheCreateTokens,
  };
}

/** A response that failed before its stream began is judged by its status. */
const codesByStatus = new Map<number, ErrorCode>([
  [400, 'UPSTREAM_BAD_REQUEST'],
  [401, 'UPSTREAM_AUTH'],
  [403, 'UPSTREAM_AUTH'],
  [413, 'UPSTREAM_BAD_REQUEST'],
  [422, 'UPSTREAM_BAD_REQUEST'],
  [529, 'UPSTREAM_OVERLOADED'],
]);

/** An `error` event inside a stream has no status of its own. */
const codesByType = new Map<string, ErrorCode>([
  ['authentication_error', 'UPSTREAM_AUTH'],
  ['permission_error', 'UPSTREAM_AUTH'],
  ['invalid_request_error', 'UPSTREAM_BAD_REQUEST'],
  ['request_too_large', 'UPSTREAM_BAD_REQUEST'],
]);

/** Far above any real error; the rest of a longer one is not read. */
const maxErrorBytes = 65_536;

/** The SDK's error for a response other than a success. */
export async function refusal({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<APIError> {
  const text = await beginningOf(body);
  const named = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return APIError.generate(statusCode, parsed(text), text, new Headers(named));
}

async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const packets: Buffer[] = [];
  let bytes = 0;
  for await (const packet of body) {
    packets.push(packet);
    bytes += packet.length;
    if (bytes > maxErrorBytes) break;
  }
  return Buffer.concat(packets).toString();
}

function parsed(text: string): object | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Translates whatever went wrong with the provider; what is not named here is `UPSTREAM_ERROR`. */
export function providerError(cause: unknown): AppError {
  return new AppError(providerErrorCode(cause), { cause });
}

function providerErrorCode(error: unknown): ErrorCode {
  if (!(error instanceof APIError)) return 'UPSTREAM_ERROR';
  if (error.type === 'overloaded_error') return 'UPSTREAM_OVERLOADED';
  const code = error.status === undefined ? codesByType.get(error.type ?? '') : codesByStatus.get(error.status);
  return code ?? 'UPSTREAM_ERROR';
}
