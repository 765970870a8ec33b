import { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';

/** Takes one packet; a promise that it returns holds the next one back until it settles. */
type Take = (packet: Buffer) => void | Promise<void>;

/** A response whose body is pushed, packet by packet: the web's streams cost a handful of promises for each. */
export class StreamedResponse extends Response {
  /** Ends the exchange, and with it the connection. */
  readonly abort: (reason: Error) => void;
  readonly #flow: (take: Take) => Promise<void>;

  constructor(
    init: ResponseInit,
    { abort, flow }: Pick<StreamedResponse, 'abort'> & { flow(take: Take): Promise<void> },
  ) {
    super(null, init);
    this.abort = abort;
    this.#flow = flow;
  }

  /** Lets the body come. Resolves at its end; rejects with what broke it off, or with what `take` threw. */
  packets(take: Take): Promise<void> {
    return this.#flow(take);
  }
}

/**
 * A `fetch` over `agent` that gives a `StreamedResponse` where the request succeeds.
 * It follows no redirect: that would take the prompt and the key to a host that nobody configured.
 */
export function createStreamedFetch(agent: Agent) {
  return async (address: string | URL | Request, { method, headers, body, signal }: RequestInit = {}) => {
    const { origin, pathname, search } = new URL(String(address));
    const sent = new Headers(headers);
    const text = typeof body === 'string' ? body : '';
    sent.set('content-length', String(Buffer.byteLength(text)));
    const request: Dispatcher.DispatchOptions = {
      origin,
      path: `${pathname}${search}`,
      method: method === 'POST' ? 'POST' : 'GET',
      headers: sent,
      body: streamOf(text),
    };
    const response = await send(agent, request, signal ?? undefined);
    return response.ok ? response : new Response(await readText(response), response);
  };
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

/** Resolves with the head of the response; its body waits until somebody takes it. */
function send(agent: Agent, request: Dispatcher.DispatchOptions, signal?: AbortSignal): Promise<StreamedResponse> {
  const started = Promise.withResolvers<StreamedResponse>();
  const ended = Promise.withResolvers<void>();
  // Nobody may be waiting for the end yet when it comes.
  ended.promise.catch(() => {});
  let take: Take = () => {};
  let taking: Promise<unknown> = Promise.resolve();

  let running: Dispatcher.DispatchController | undefined;
  // Also where there is no connection yet, and nothing to end.
  const leave = () => {
    started.reject(signal?.reason);
    running?.abort(signal?.reason);
  };
  // The SDK keeps its signal until it sees this exchange collected: a listener left on it would keep both for good.
  const over = () => signal?.removeEventListener('abort', leave);
  signal?.addEventListener('abort', leave);
  agent.dispatch(request, {
    onRequestStart(controller) {
      running = controller;
      if (signal?.aborted) leave();
    },
    onResponseStart(controller, status, headers) {
      if (status < 200) return;
      controller.pause();
      const flow = (taker: Take) => {
        take = taker;
        controller.resume();
        return ended.promise;
      };
      const abort = (reason: Error) => controller.abort(reason);
      started.resolve(new StreamedResponse({ status, headers: flat(headers) }, { abort, flow }));
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
  });
  return started.promise;
}

function flat(headers: Record<string, string | string[] | undefined>): [string, string][] {
  return Object.entries(headers).map(([name, value]) => [name, String(value)]);
}

async function readText(response: StreamedResponse): Promise<string> {
  const packets: Buffer[] = [];
  await response.packets((packet) => void packets.push(packet));
  return Buffer.concat(packets).toString();
}
