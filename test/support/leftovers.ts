import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import type { RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { LateWrites } from '../../server/chat/late-writes.ts';
import type { StreamLimit } from '../../server/chat/stream-limit.ts';
import type { RequestsInFlight } from '../../server/http/http-server.ts';
import type { BodyReader } from '../../server/http/json-body.ts';
import type { ScriptedProvider } from './scripted-provider.ts';

/** Pending timers by their asynchronous ids. `line` is the source line in `server` that started the timer. */
type Timers = Map<number, { timer: NodeJS.Timeout; line: string }>;

const timersOfRequests = new AsyncLocalStorage<Timers>();
const pending = new Map<number, Timers>();

createHook({
  trackPromises: false,
  init(id, type, _trigger, timer) {
    if (type !== 'Timeout') return;
    const timers = timersOfRequests.getStore();
    const line = timers && startingLine();
    if (timers === undefined || line === undefined) return;
    pending.set(id, timers.set(id, { timer: timer as NodeJS.Timeout, line }));
  },
  destroy(id) {
    pending.get(id)?.delete(id);
    pending.delete(id);
  },
}).enable();

/** Packages, the connections to PostgreSQL and Redis, and the Redis probe start timers that may outlive a request. */
const outlivesRequests = /\/node_modules\/|\/server\/(?:postgres|redis|limits\/redis-fallback)\b/;

/** Returns undefined for a timer that may outlive its request, and for the timer of `AbortSignal.timeout`, which cannot be cleared. */
function startingLine(): string | undefined {
  const frames = new Error().stack?.split('\n').filter((line) => !line.includes(import.meta.url)) ?? [];
  if (frames.some((line) => line.includes('AbortSignal.timeout'))) return undefined;
  const frame = frames.find((line) => line.includes('file:')) ?? '';
  return outlivesRequests.test(frame) ? undefined : frame.match(/\/(server\/[^)]+)/)?.[1];
}

type Conversation = { userId: string; conversationId: string };

type Dependencies = {
  signals: Record<string, AbortSignal>;
  requests: RequestsInFlight;
  streams: StreamLimit;
  bodies: BodyReader;
  lateWrites: LateWrites;
  provider: Pick<ScriptedProvider, 'open'>;
  replyWatchMilliseconds: number;
};

const maxRounds = 200;
const roundMilliseconds = 5;
/** Shorter than the default idle timeout of the provider in tests, which ends a turn that nothing else ends. */
const finishMilliseconds = 5_000;

/** Finds what finished requests have left in an application, which would be a leak in a process that serves for months. */
export function watchLeftovers(dependencies: Dependencies) {
  const { signals, requests, streams, bodies, lateWrites, provider } = dependencies;
  const timers: Timers = new Map();
  const conversations = new Map<string, Conversation>();
  let areFinished = false;

  /** The reply watch never clears its timer, so the last one fires after an interval. */
  const watchesOften = dependencies.replyWatchMilliseconds < maxRounds * roundMilliseconds;

  const { write } = lateWrites;
  lateWrites.write = (answer) => {
    conversations.set(`${answer.userId} ${answer.conversationId}`, answer);
    return write(answer);
  };

  /** `catchUp` starts a timer only for a conversation that has writes to wait for. */
  function isWriting(conversation: Conversation): boolean {
    const started: Timers = new Map();
    void timersOfRequests.run(started, () => lateWrites.catchUp(conversation));
    return started.size > 0;
  }

  function find(): string[] {
    const counts: Record<string, number> = {
      'requests in flight': areFinished ? 0 : 1,
      'slots of turns in flight': streams.inFlight,
      'users with turns in flight': streams.usersInFlight,
      'bytes of bodies in memory': bodies.usedBytes,
      'late writes': lateWrites.status().late,
      'conversations with writes': [...conversations.values()].filter(isWriting).length,
      'requests to the provider': provider.open,
    };
    for (const [name, signal] of Object.entries(signals)) {
      counts[`listeners of the signal ${name}`] = getEventListeners(signal, 'abort').length;
    }
    for (const { timer, line } of timers.values()) {
      if (timer.hasRef() || watchesOften) counts[`timers of ${line}`] = (counts[`timers of ${line}`] ?? 0) + 1;
    }
    return Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : []));
  }

  return {
    watch(listener: RequestListener): RequestListener {
      return (request, response) => timersOfRequests.run(timers, () => listener(request, response));
    },

    /** Must be called when all connections are closed. Rejects if anything is left. */
    async failOnLeftovers(): Promise<void> {
      await Promise.race([
        requests.allFinished().then(() => {
          areFinished = true;
        }),
        delay(finishMilliseconds, undefined, { ref: false }),
      ]);
      for (let rounds = 0; rounds < maxRounds; rounds += 1) {
        if (find().length === 0) return;
        await delay(roundMilliseconds);
      }
      throw new Error(`Finished requests have left in the application: ${find().join(', ')}.`);
    },
  };
}
