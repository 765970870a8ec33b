import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Response, responsesIn } from './responses.ts';

export type Exchanged = {
  /** everything that came back, as latin1 */
  received: string;
  responses: readonly Response[];
  /** whether as many whole responses came as were expected, or the server closed the connection */
  answered: boolean;
  /** whether the connection broke while bytes were still to be sent: an answer may be lost with it */
  broken: boolean;
};

type Options = {
  port: number;
  /** Sent one after the other. */
  pieces: readonly Buffer[];
  /** The methods of the requests in them: as many whole responses are enough. */
  methods: readonly string[];
  /** How long to wait for them after the last byte, in milliseconds. */
  patienceMilliseconds: number;
};

/** Sends bytes that no HTTP client would, and leaves once they are answered, the server has closed or patience is over. */
export async function exchangeBytes({ port, pieces, methods, patienceMilliseconds }: Options): Promise<Exchanged> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const chunks: Buffer[] = [];
  const done = Promise.withResolvers<boolean>();
  const received = () => Buffer.concat(chunks).toString('latin1');
  const responses = () => responsesIn(received(), methods);
  let broken = false;
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    if (responses().filter(({ complete }) => complete).length >= methods.length) done.resolve(true);
  });
  socket.on('error', () => {
    broken = true;
  });
  socket.on('close', () => done.resolve(true));

  for (const piece of pieces) {
    if (socket.destroyed) break;
    socket.write(piece);
    await nextTurn();
  }
  const timer = setTimeout(() => done.resolve(false), patienceMilliseconds);
  const answered = await done.promise;
  clearTimeout(timer);
  socket.destroy();
  return { received: received(), responses: responses(), answered, broken };
}
