import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { exchange } from '../../bench/exchange.ts';

const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const end = '0\r\n\r\n';

describe('the load client', () => {
  /** What it makes of a server that answers with these pieces, each in a packet of its own, then hangs up. */
  async function ask(...pieces: string[]) {
    const server = createServer((socket) => {
      socket.once('data', async () => {
        for (const piece of pieces) await new Promise<unknown>((written) => socket.write(piece, written));
        socket.end();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const expected = ['one ', 'two'].map((text) => Buffer.from(text));
    const result = await exchange({ port, request: 'a request', expected, left: new AbortController().signal });
    server.close();
    await once(server, 'close');
    return result;
  }

  it('passes the chunks that it expects, however the network cut them', async () => {
    const whole = `${head}${chunk('one ')}${chunk('two')}${end}`;
    for (const pieces of [[whole], [...whole]]) {
      const { failure, receivedAt } = await ask(...pieces);
      expect(failure).to.equal(undefined);
      expect(receivedAt).to.have.length(2);
    }
  });

  const failures: Record<string, [reply: string, failure: string]> = {
    'a byte that is not the one expected': [`${head}${chunk('one ')}${chunk('twO')}${end}`, 'Error: Chunk 1 is "twO".'],
    'two deltas in one chunk': [`${head}${chunk('one two')}${end}`, 'Error: Chunk 0 is "one two".'],
    'a delta in two chunks': [`${head}${chunk('one ')}${chunk('t')}${chunk('wo')}${end}`, 'Error: Chunk 1 is "t".'],
    'a chunk too few': [`${head}${chunk('one ')}${end}`, 'The reply had 1 chunks of 2.'],
    'a chunk too many': [`${head}${chunk('one ')}${chunk('two')}${chunk('3')}${end}`, 'Error: Chunk 2 is "3".'],
    'a reply without its end': [`${head}${chunk('one ')}${chunk('two')}`, 'The connection closed before the end.'],
    'a refusal': ['HTTP/1.1 503 Busy\r\n\r\n', 'Error: The answer was HTTP/1.1 503 Busy.'],
    'a body that is not chunked': [head.replace('chunked', 'identity'), 'Error: The body is not chunked.'],
    'broken framing': [`${head}2\r\none \r\n`, 'Error: A chunk is longer than its size.'],
    'another type': [head.replace('plain', 'html'), 'Error: The reply is no plain text.'],
  };
  for (const [what, [reply, failure]] of Object.entries(failures)) {
    it(`fails ${what}`, async () => {
      expect((await ask(reply)).failure).to.equal(failure);
    });
  }
});
