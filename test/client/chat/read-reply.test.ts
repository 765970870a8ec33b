import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { displayableText, readText } from '../../../client/chat/attempt.ts';
import { errorCodes, formatAppendedError } from '../../../shared/errors.ts';

function bodyOf(chunks: Iterable<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

const bytes = (text: string) => new TextEncoder().encode(text);

async function read(chunks: Iterable<Uint8Array>): Promise<string[]> {
  const texts: string[] = [];
  for await (const text of readText(bodyOf(chunks))) texts.push(text);
  return texts;
}

describe('readText', () => {
  it('yields the complete text, wherever the bytes are split', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 7 }), async (text, size) => {
        const all = bytes(text);
        const chunks = Array.from({ length: Math.ceil(all.length / size) }, (_, n) =>
          all.slice(n * size, n * size + size),
        );
        expect((await read(chunks)).join('')).to.equal(text);
      }),
    );
  });

  it('yields a replacement character for a character that is cut off at the end of the body', async () => {
    expect(await read([bytes('€').slice(0, 2)])).to.deep.equal(['\uFFFD']);
  });
});

describe('displayableText', () => {
  for (const code of errorCodes) {
    it(`holds back every prefix of the error line of ${code}`, () => {
      const line = formatAppendedError(code);
      for (let length = 0; length <= line.length; length += 1) {
        expect(displayableText(`We are in${line.slice(0, length)}`)).to.equal('We are in');
      }
    });
  }

  it('returns all other text immediately', () => {
    for (const reply of ['', 'Week 3.', 'One\n\n[1] Two', 'One\n\n[NOTE: two', 'One\n\n[UPSTREAM_ERROR: else']) {
      expect(displayableText(reply)).to.equal(reply);
    }
  });

  it('holds back only the last line if a reply quotes an error line before it', () => {
    const line = formatAppendedError('INTERNAL');
    expect(displayableText(`One${line}${line}`)).to.equal(`One${line}`);
  });
});
