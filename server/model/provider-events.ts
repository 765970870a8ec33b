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
};

/** Far above any real event, low enough that a provider which never ends one cannot exhaust the process. */
const maxEventCharacters = 16 * 1024 * 1024;

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

const tokens = z.number().nullish();

/** Counts are cumulative, and an event may leave out those that it does not change. */
const usageSchema = z.object({
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_input_tokens: tokens,
  cache_creation_input_tokens: tokens,
});

const eventSchema = z.looseObject({ type: z.string() });
const messageStartSchema = z.object({ message: z.object({ model: z.string(), usage: usageSchema }) });
const contentBlockDeltaSchema = z.object({ delta: eventSchema });
const textDeltaSchema = z.object({ text: z.string() });
const messageDeltaSchema = z.object({
  delta: z.object({ stop_reason: z.string().nullish() }),
  usage: usageSchema.optional(),
});

export function startProgress(model: string): ReplyProgress {
  return {
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreateTokens: 0 },
    model,
    stopReason: null,
    finished: false,
  };
}

/**
 * Takes one event of the provider's stream into `progress` and returns the text that it adds, if any.
 * Throws the provider's error on an `error` event, and on an event that does not have its type's shape.
 */
export function takeEvent(progress: ReplyProgress, data: unknown): string {
  if (isTextDelta(data)) return data.delta.text;
  const event = eventSchema.parse(data);
  switch (event.type) {
    case 'message_start': {
      const { message } = messageStartSchema.parse(event);
      progress.model = message.model;
      progress.usage = updatedUsage(progress.usage, message.usage);
      return '';
    }
    case 'content_block_delta': {
      const { delta } = contentBlockDeltaSchema.parse(event);
      return delta.type === 'text_delta' ? textDeltaSchema.parse(delta).text : '';
    }
    case 'message_delta': {
      const { delta, usage = {} } = messageDeltaSchema.parse(event);
      progress.stopReason = delta.stop_reason ?? progress.stopReason;
      progress.usage = updatedUsage(progress.usage, usage);
      return '';
    }
    case 'message_stop':
      progress.finished = true;
      return '';
    case 'error':
      throw new APIError(undefined, event, undefined, undefined);
    default:
      return '';
  }
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
    inputTokens: stated.input_tokens ?? known.inputTokens,
    outputTokens: stated.output_tokens ?? known.outputTokens,
    cacheReadTokens: stated.cache_read_input_tokens ?? known.cacheReadTokens,
    cacheCreateTokens: stated.cache_creation_input_tokens ?? known.cacheCreateTokens,
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

/** The SDK's error for a response other than a success. */
export async function refusal({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<APIError> {
  const text = await body.text();
  const named = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return APIError.generate(statusCode, parsed(text), text, new Headers(named));
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
