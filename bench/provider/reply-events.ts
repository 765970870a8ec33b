import { deltaTexts, type ReplyPlan } from './reply-plan.ts';

/** A reply as the bytes of the provider's event stream, an item for each event. */
export type ReplyEvents = { start: Buffer[]; deltas: Buffer[]; end: Buffer[] };

const usage = { input_tokens: 42, cache_creation_input_tokens: 160, cache_read_input_tokens: 2600 };

/** Every variant's events, encoded beforehand: the stand-in must never be what a measurement waits for. */
export function encodeReplies(plan: ReplyPlan): ReplyEvents[] {
  const start = [
    encode({
      type: 'message_start',
      message: {
        id: 'msg_013Zva2CMHLNnXjNJJKqJ2EF',
        type: 'message',
        role: 'assistant',
        model: 'claude-bench',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: 1 },
      },
    }),
    encode({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    encode({ type: 'ping' }),
  ];
  const end = [
    encode({ type: 'content_block_stop', index: 0 }),
    encode({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { ...usage, output_tokens: Math.ceil((plan.deltas * plan.deltaCharacters) / 4) },
    }),
    encode({ type: 'message_stop' }),
  ];
  return deltaTexts(plan).map((texts) => ({
    start,
    deltas: texts.map((text) => encode({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    end,
  }));
}

function encode(event: { type: string; [field: string]: unknown }): Buffer {
  return Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}
