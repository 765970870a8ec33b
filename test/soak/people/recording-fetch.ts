import { ReadableStream as WebStream } from 'node:stream/web';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, Dispatcher1Wrapper } from 'undici';
import { headers as names } from '../../../shared/interface.ts';
import { turnAsked } from '../marks.ts';
import { now } from '../now.ts';
import type { Attempt } from '../records.ts';
import type { Gate } from './gate.ts';

type Sent = { messages: { content: string }[]; conversationId?: string };

export type RecordingFetchParts = {
  attempts: Attempt[];
  gate: Gate;
  /** How long the reader takes over each chunk of this turn's reply. */
  millisecondsPerChunk(turn: number): number;
};

/** Connections are given up long before the server closes them: a request must not meet a closing one. */
const agent = new Agent({ keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 });
const dispatcher = new Dispatcher1Wrapper(agent);

export const closeConnections = () => agent.close();

/** `fetch` with these headers added, which notes each request and all that comes back. */
export function createRecordingFetch(added: Record<string, string>, parts: RecordingFetchParts): typeof fetch {
  const { attempts, gate, millisecondsPerChunk } = parts;

  return async (input, init = {}) => {
    const sent: Sent = JSON.parse(String(init.body));
    const headers = new Headers(init.headers);
    await gate.enter();
    const attempt: Attempt = {
      turn: turnAsked(sent.messages.at(-1)?.content ?? ''),
      requestId: headers.get(names.requestId) ?? '',
      askedConversationId: sent.conversationId ?? null,
      sentAt: now(),
      endedAt: null,
      ending: null,
      status: null,
      headers: { requestId: null, conversationId: null, promptVersion: null },
      retryAfterSeconds: null,
      body: '',
    };

    function end(ending: NonNullable<Attempt['ending']>): void {
      if (attempt.ending !== null) return;
      attempt.ending = ending;
      attempt.endedAt = now();
      gate.leave();
    }

    async function* noted(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
      const milliseconds = millisecondsPerChunk(attempt.turn);
      try {
        for await (const chunk of body) {
          attempt.body += decoder.decode(chunk, { stream: true });
          yield chunk;
          if (milliseconds > 0) await delay(milliseconds);
        }
        end('whole');
      } catch (error) {
        end('cut');
        throw error;
      }
    }

    init.signal?.addEventListener('abort', () => end('left'), { once: true });
    try {
      init.signal?.throwIfAborted();
      attempts.push(attempt);
      for (const [name, value] of Object.entries(added)) headers.set(name, value);
      const response = await fetch(input, { ...init, headers, dispatcher } as RequestInit);
      attempt.status = response.status;
      attempt.headers = {
        requestId: response.headers.get(names.requestId),
        conversationId: response.headers.get(names.conversationId),
        promptVersion: response.headers.get(names.promptVersion),
      };
      const retryAfter = response.headers.get('Retry-After');
      attempt.retryAfterSeconds = retryAfter === null ? null : Number(retryAfter);
      const body = response.body && WebStream.from(noted(response.body));
      if (body === null) end('whole');
      return new Response(body as BodyInit | null, { status: response.status, headers: response.headers });
    } catch (error) {
      end('cut');
      throw error;
    }
  };
}
