import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const responsesOf = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Lets `response` emit `close` when its connection ends. Node forgets the answers that wait behind another one as soon as
 * a CONNECT comes after them: their turns would never be over, and would keep their places and the provider's replies.
 */
export function closeWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  const responses = responsesOf.get(socket) ?? watch(socket);
  responses.add(response);
  response.once('close', () => responses.delete(response));
}

function watch(socket: Socket): Set<ServerResponse> {
  const responses = new Set<ServerResponse>();
  responsesOf.set(socket, responses);
  socket.once('close', () => {
    for (const response of responses) response.destroy();
  });
  return responses;
}
