import { ServerResponse } from 'node:http';
import { connect, createServer } from 'node:net';

/*
 * Loaded into a served process by `--import`. Where a text that passes through `JSON.parse` or into a response has one of
 * these phrases, something breaks a moment later where no handler can catch it, on behalf of that request.
 */

const breaks: Record<string, () => void> = {
  'a timer breaks'() {
    setTimeout(() => {
      throw new Error('broken in a timer');
    }, 0);
  },
  'a socket breaks'() {
    const server = createServer((socket) => socket.end('x').on('close', () => server.close()));
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const socket = connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1');
      socket.once('data', () => {
        socket.destroy();
        throw new Error('broken in a socket');
      });
    });
  },
  'a promise breaks'() {
    void Promise.reject(new Error('broken in a promise'));
  },
  'a thing breaks'() {
    setTimeout(() => {
      throw undefined;
    }, 0);
  },
};

function breakIfAsked(text: unknown): void {
  for (const [phrase, act] of Object.entries(breaks)) if (String(text).includes(phrase)) act();
}

const { parse } = JSON;
JSON.parse = (text, reviver) => {
  breakIfAsked(text);
  return parse(text, reviver);
};

const { write } = ServerResponse.prototype;
ServerResponse.prototype.write = function writeAndBreak(this: ServerResponse, ...parameters: unknown[]): boolean {
  breakIfAsked(parameters[0]);
  return Reflect.apply(write, this, parameters);
};
