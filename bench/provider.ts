import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { now, serveCalls } from './calls.ts';
import { deltaTexts, type ReplyPlan, streamNumberIn, variantCount } from './reply.ts';

/*
 * Starts a model provider on loopback that streams every reply according to one plan and records when it sent the first delta.
 */

/** Times, from `now()`, at which a request had arrived and the first delta of its reply was written to the socket. */
export type ReplyTimes = { stream: number; arrivedAt: number; firstSentAt: number };

const usage = { input_tokens: 42, cache_creation_input_tokens: 160, cache_read_input_tokens: 2600 };

let plan: ReplyPlan = { deltas: 1, deltaCharacters: 20, paceMilliseconds: 20 };
let replies: ReplyEvents[] = encodeReplies(plan);
let replyTimes: ReplyTimes[] = [];

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => void answer(request, response));
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
await once(server, 'listening');

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readText(request);
  const arrivedAt = now();
  const stream = streamNumberIn(body);
  const events = replies[stream % variantCount];
  if (events === undefined) throw new Error(`No reply for variant ${stream % variantCount}.`);
  const times = { stream, arrivedAt, firstSentAt: Number.NaN };
  replyTimes.push(times);
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': `req_bench${stream}`,
  });
  const { start, deltas, end } = events;
  if (plan.paceMilliseconds === 'in one piece') {
    times.firstSentAt = now();
    response.end(Buffer.concat([...start, ...deltas, ...end]));
    return;
  }
  response.write(Buffer.concat(start));
  let sentCount = 0;
  const timer = setInterval(() => {
    const delta = deltas[sentCount];
    if (delta === undefined) return void response.end(Buffer.concat(end));
    if (sentCount === 0) times.firstSentAt = now();
    sentCount += 1;
    response.write(delta);
  }, plan.paceMilliseconds);
  response.once('close', () => clearInterval(timer));
}

const functions = {
  url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,

  setPlan(newPlan: ReplyPlan): void {
    plan = newPlan;
    replies = encodeReplies(plan);
    replyTimes = [];
  },

  replyTimes: () => replyTimes,
};

export type ProviderFunctions = typeof functions;

type ReplyEvents = { start: Buffer[]; deltas: Buffer[]; end: Buffer[] };

/** Encodes all replies in advance, so that a measurement does not include the encoding. */
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

serveCalls(functions);
