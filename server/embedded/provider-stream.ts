import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ulid } from 'ulid';
import type { ProviderAnswer, ProviderEvent, ProviderUsage } from './provider-answer.ts';

type Stream = Extract<ProviderAnswer, { steps: unknown }>;

/**
 * Writes a reply as the provider's event stream, each event by a write of its own that has left the process before the
 * next step is taken. `inputTokens` stands in for a usage that `answer` does not give; `left` ends the stream early.
 */
export async function writeProviderStream(
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
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

async function pause(wait: number | Promise<unknown>, left: AbortSignal): Promise<void> {
  const over =
    typeof wait === 'number' ? delay(wait, undefined, { signal: left }) : Promise.race([wait, once(left, 'abort')]);
  await Promise.allSettled([over]);
}
