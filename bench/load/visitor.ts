import { questionOf } from '../provider/reply-plan.ts';

/** Someone who asks: each has an address, and on live chat a session and a conversation that goes on. */
export type Visitor = { cookie: string; conversationId: string | undefined };

/** A turn in the middle of a conversation. */
const history = [
  {
    role: 'user',
    content: 'Most of our lead time is waiting, we believe. Where would you begin, and what would you measure first?',
  },
  {
    role: 'assistant',
    content:
      'Begin with one product family and follow twenty orders from receipt to dispatch. Note for every step when work could ' +
      'have begun and when it did. The gap between the two is waiting; add it up by step, and you have the first ranking. ' +
      'Twenty orders are enough to see which step dominates, and too few to split by customer, so leave that for later.',
  },
];

/** Request number `stream` as bytes go over the wire behind a proxy that ends TLS; the same for every contender. */
export function requestOf(stream: number, path: string, { cookie, conversationId }: Visitor): string {
  const body = JSON.stringify({
    messages: [...history, { role: 'user', content: questionOf(stream) }],
    ...(conversationId !== undefined && { conversationId }),
  });
  return [
    `POST ${path} HTTP/1.1`,
    'Host: chat.example.com',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Accept: */*',
    'X-Forwarded-Proto: https',
    `X-Forwarded-For: ${addressOf(stream)}`,
    `Cookie: ${cookie}`,
    '',
    body,
  ].join('\r\n');
}

/** An address of its own for each request, so that demo chat's limit refuses none. */
function addressOf(stream: number): string {
  return [10, stream >> 16, stream >> 8, stream].map((part) => part & 255).join('.');
}
