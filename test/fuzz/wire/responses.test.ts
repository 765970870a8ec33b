import { expect } from 'chai';
import { describe, it } from 'mocha';
import { responsesIn } from './responses.ts';

describe('the responses in raw bytes', () => {
  const read = (bytes: string, methods: string[]) =>
    responsesIn(bytes, methods).map(({ status, body, complete }) => [status, body, complete]);

  it('are told apart by their lengths and chunks', () => {
    const bytes =
      'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\noneHTTP/1.1 204 No Content\r\n\r\n' +
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nth\r\n3\r\nree\r\n0\r\n\r\n';
    expect(read(bytes, ['GET', 'GET', 'GET'])).to.deep.equal([
      [200, 'one', true],
      [204, '', true],
      [200, 'three', true],
    ]);
  });

  it('have no body where HEAD asked for them', () => {
    const bytes = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n';
    expect(read(bytes, ['HEAD', 'HEAD'])).to.deep.equal([
      [200, '', true],
      [200, '', true],
    ]);
  });

  it('are incomplete where bytes are missing, and leave out 100 Continue', () => {
    expect(read('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\non', ['POST'])).to.deep.equal(
      [[200, 'on', false]],
    );
  });
});
