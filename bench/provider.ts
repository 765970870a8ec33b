import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { answerCalls, now } from './calls.ts';
import { deltaTexts, type ReplyPlan, streamIn, variants } from './reply.ts';

/*
 * A model provider on loopback that streams every reply by one plan and notes when it sent each delta.
 */

/** When, on the shared clock, a request had arrived, and the first delta of its reply was handed to the socket. */
export type Sending = { stream: number; arrivedAt: number; firstSentAt: number };

const usage = { input_tokens: 42, cache_creation_input_tokens: 160, cache_read_input_tokens: 2600 };

let plan: ReplyPlan = { deltas: 1, deltaCharacters: 20, paceMilliseconds: 20 };
let replies: ReplyEvents[] = encodeReplies(plan);
let sendings: Sending[] = [];

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => void answer(request, response));
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
await once(server, 'listening');

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readText(request);
  const arrivedAt = now();
  const stream = streamIn(body);
  const events = replies[stream % variants];
  if (events === undefined) throw new Error('There is a reply for each variant.');
  const sending = { stream, arrivedAt, firstSentAt: Number.NaN };
  sendings.push(sending);
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': `req_bench${stream}`,
  });
  const { start, deltas, end } = events;
  if (plan.paceMilliseconds === 'in one piece') {
    sending.firstSentAt = now();
    response.end(Buffer.concat([...start, ...deltas, ...end]));
    return;
  }
  response.write(Buffer.concat(start));
  let sent = 0;
  const timer = setInterval(() => {
    const delta = deltas[sent];
    if (delta === undefined) return void response.end(Buffer.concat(end));
    if (sent === 0) sending.firstSentAt = now();
    sent += 1;
    response.write(delta);
  }, plan.paceMilliseconds);
  response.once('close', () => clearInterval(timer));
}

const calls = {
  url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,

  /** Sets the plan for the requests to come, and forgets those before. */
  speak(next: ReplyPlan): void {
    plan = next;
    replies = encodeReplies(plan);
    sendings = [];
  },

  /** The requests since the plan was set. */
  sendings: () => sendings,
};

export type ProviderCalls = typeof calls;

/** A reply as the bytes of the provider's event stream, an item for each event. */
type ReplyEvents = { start: Buffer[]; deltas: Buffer[]; end: Buffer[] };

/** Every variant's events, encoded beforehand: the stand-in must never be what a measurement waits for. */
function encodeReplies(plan: ReplyPlan): ReplyEvents[] {
  const ids = { id: 'msg_013Zva2CMHLNnXjNJJKqJ2EF', model: 'claude-bench', type: 'message', role: 'assistant' };
  const stops = { stop_reason: null, stop_sequence: null };
  const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
  const output_tokens = Math.ceil((plan.deltas * plan.deltaCharacters) / 4);
  const start = [
    { type: 'message_start', message: { ...ids, ...stops, content: [], usage: { ...usage, output_tokens: 1 } } },
    block,
    { type: 'ping' },
  ].map(encode);
  const delta = { stop_reason: 'end_turn', stop_sequence: null };
  const end = [
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta, usage: { ...usage, output_tokens } },
    { type: 'message_stop' },
  ].map(encode);
  return deltaTexts(plan).map((texts) => ({
    start,
    deltas: texts.map((text) => encode({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    end,
  }));
}

function encode(event: { type: string; [field: string]: unknown }): Buffer {
  return Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

answerCalls(calls);
