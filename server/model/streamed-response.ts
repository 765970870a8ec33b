import { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';

/** Takes one packet; a promise that it returns holds the next one back until it settles. */
type Take = (packet: Buffer) => void | Promise<void>;

/** A response whose body is pushed, packet by packet: the web's streams cost a handful of promises for each. */
export type StreamedResponse = {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  /** Lets the body come. Resolves at its end; rejects with what broke it off, or with what `take` threw. */
  packets(take: Take): Promise<void>;
};

export type RequestHead = Omit<Dispatcher.DispatchOptions, 'body'>;

/**
 * Sends a request over `agent` and resolves with the head of its response; the body waits until somebody takes it.
 * When `signal` aborts, the exchange ends with its reason, and the connection with it.
 * It follows no redirect: that would take the prompt and the key to a host that nobody configured.
 */
export function sendRequest(
  agent: Agent,
  head: RequestHead,
  body: string,
  signal: AbortSignal,
): Promise<StreamedResponse> {
  signal.throwIfAborted();
  const started = Promise.withResolvers<StreamedResponse>();
  const ended = Promise.withResolvers<void>();
  // Nobody may be waiting for the end yet when it comes.
  ended.promise.catch(() => {});
  let take: Take = () => {};
  let taking: Promise<unknown> = Promise.resolve();

  let running: Dispatcher.DispatchController | undefined;
  // Also where there is no connection yet, and nothing to end.
  const leave = () => {
    started.reject(signal.reason);
    running?.abort(signal.reason);
  };
  signal.addEventListener('abort', leave);
  const over = () => signal.removeEventListener('abort', leave);
  agent.dispatch(
    { ...head, body: streamOf(body) },
    {
      onRequestStart(controller) {
        running = controller;
        if (signal.aborted) leave();
      },
      onResponseStart(controller, status, headers) {
        if (status < 200) return;
        controller.pause();
        const packets = (taker: Take) => {
          take = taker;
          controller.resume();
          return ended.promise;
        };
        started.resolve({ status, headers, packets });
      },
      onResponseData(controller, packet) {
        const taken = take(packet);
        if (taken === undefined) return;
        controller.pause();
        taking = taken.then(
          () => controller.resume(),
          (error) => controller.abort(error),
        );
      },
      onResponseEnd() {
        over();
        ended.resolve();
      },
      onResponseError(_controller, error) {
        over();
        started.reject(error);
        // Not before what came earlier has been taken.
        void taking.then(() => ended.reject(error));
      },
    },
  );
  return started.promise;
}

/** The whole body, as text. */
export async function readText(response: StreamedResponse): Promise<string> {
  const packets: Buffer[] = [];
  await response.packets((packet) => void packets.push(packet));
  return Buffer.concat(packets).toString();
}

/** As a stream: any other body undici keeps until its response has ended, and most of what an open reply held was its prompt. */
function streamOf(text: string): Readable {
  const stream = new Readable({ read() {} });
  // What undici leaves on it holds the request's head.
  stream.once('close', () => stream.removeAllListeners());
  stream.push(text);
  stream.push(null);
  return stream;
}
