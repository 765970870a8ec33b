import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { now } from '../clock.ts';
import { answerCalls } from '../processes/answer-calls.ts';
import { encodeReplies, type ReplyEvents } from './reply-events.ts';
import { type ReplyPlan, streamIn, variants } from './reply-plan.ts';

/*
 * A model provider on loopback that streams every reply by one plan and notes when it sent each delta.
 */

/** When, on the shared clock, a request had arrived, and each delta of its reply was handed to the socket. */
export type Sending = { stream: number; arrivedAt: number; sentAt: Float64Array };

let plan: ReplyPlan = { deltas: 1, deltaCharacters: 20, paceMilliseconds: 0 };
let replies: ReplyEvents[] = encodeReplies(plan);
let sendings: Sending[] = [];
let bodies: string[] | undefined;

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => void answer(request, response));
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
await once(server, 'listening');

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readText(request);
  const arrivedAt = now();
  bodies?.push(body);
  const stream = streamIn(body) ?? 0;
  const events = replies[stream % variants];
  if (events === undefined) throw new Error('There is a reply for each variant.');
  const sending = { stream, arrivedAt, sentAt: new Float64Array(plan.deltas) };
  sendings.push(sending);
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': `req_bench${stream}`,
  });
  if (plan.paceMilliseconds === 'in one piece') sendInOnePiece(response, events, sending);
  else sendOneByOne(response, events, sending, plan.paceMilliseconds);
}

function sendInOnePiece(response: ServerResponse, { start, deltas, end }: ReplyEvents, { sentAt }: Sending): void {
  sentAt.fill(now());
  response.end(Buffer.concat([...start, ...deltas, ...end]));
}

function sendOneByOne(
  response: ServerResponse,
  { start, deltas, end }: ReplyEvents,
  { sentAt }: Sending,
  paceMilliseconds: number,
): void {
  response.write(Buffer.concat(start));
  let sent = 0;
  /** Gives whether there is more to send. */
  function sendNext(): boolean {
    const delta = deltas[sent];
    if (delta === undefined) {
      response.end(Buffer.concat(end));
      return false;
    }
    sentAt[sent] = now();
    sent += 1;
    response.write(delta);
    return true;
  }

  if (paceMilliseconds === 0) {
    const sendOn = () => void (!response.closed && sendNext() && setImmediate(sendOn));
    setImmediate(sendOn);
    return;
  }
  const timer = setInterval(() => sendNext() || clearInterval(timer), paceMilliseconds);
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

  /** From now on, keeps the bodies of the requests. */
  record(): void {
    bodies = [];
  },

  /** The bodies since `record`; no more are kept. */
  recorded(): string[] {
    const kept = bodies ?? [];
    bodies = undefined;
    return kept;
  },
};

export type ProviderCalls = typeof calls;

answerCalls(calls);
