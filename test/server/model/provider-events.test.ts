import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createEventDecoder } from '../../../server/model/provider-events.ts';

const events = [{ type: 'ping' }, { text: 'né 漢字 👩‍🚀' }, { text: 'line\nbreak' }];

describe('decoding an event stream', () => {
  for (const [name, end] of [
    ['LF', '\n'],
    ['CRLF', '\r\n'],
  ] as const) {
    it(`gives the same events wherever the bytes are split, with ${name}`, () => {
      const bytes = Buffer.from(
        events.map((event) => `event: any${end}data: ${JSON.stringify(event)}${end}${end}`).join(''),
      );
      for (let split = 0; split <= bytes.length; split += 1) {
        const decoder = createEventDecoder();
        const decoded = [...decoder.decode(bytes.subarray(0, split)), ...decoder.decode(bytes.subarray(split))];
        expect(decoded, `split at ${split}`).to.deep.equal(events);
      }
    });
  }

  it('gives the events before a malformed one', () => {
    const decoded: unknown[] = [];
    const decode = () => {
      for (const event of createEventDecoder().decode(Buffer.from('data: 1\n\ngarbage\ndata: 2\n\n')))
        decoded.push(event);
    };
    expect(decode).to.throw('Unknown field');
    expect(decoded).to.deep.equal([1]);
  });

  it('refuses an event that never ends', () => {
    const decoder = createEventDecoder();
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    expect(() => {
      for (let megabytes = 0; megabytes < 20; megabytes += 1) Array.from(decoder.decode(chunk));
    }).to.throw('max buffer size');
  });
});
