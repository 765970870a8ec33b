import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';

type Request = { closed: boolean; working: number; listeners: (() => void)[] };

const requests = new WeakMap<ServerResponse, Request>();

function requestOf(response: ServerResponse): Request {
  const known = requests.get(response);
  if (known !== undefined) return known;
  const request: Request = { closed: false, working: 0, listeners: [] };
  requests.set(response, request);
  response.once('close', () => {
    request.closed = true;
    tell(request);
  });
  return request;
}

function tell({ closed, working, listeners }: Request): void {
  if (!closed || working > 0) return;
  for (const listener of listeners.splice(0)) listener();
}

/** Calls `listener` once the response has ended or lost its client, and the work that outlasts it is done. */
export function whenOver(response: ServerResponse, listener: () => void): void {
  requestOf(response).listeners.push(listener);
}

/** Marks a handler's work as part of the request: what came of a reply is stored after its client has left. */
export function outlasting(handler: RequestHandler): RequestHandler {
  return async (request, response, next) => {
    const over = requestOf(response);
    over.working += 1;
    try {
      await handler(request, response, next);
    } finally {
      over.working -= 1;
      tell(over);
    }
  };
}
