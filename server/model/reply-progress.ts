import { APIError } from '@anthropic-ai/sdk';
import { z } from 'zod';
import { isObject } from '../../shared/is-object.ts';
import type { Usage } from './model.ts';

/** What is known of a reply so far. */
export type ReplyProgress = {
  usage: Usage;
  model: string;
  stopReason: string | null;
  /** `message_stop` was seen: the one sign that a reply is whole */
  finished: boolean;
};

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
