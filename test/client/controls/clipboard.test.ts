import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { writeToClipboard } from '../../../client/controls/clipboard.ts';

const define = (on: object, name: string, value: unknown) =>
  Object.defineProperty(on, name, { value, configurable: true });

describe('writeToClipboard', () => {
  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'ClipboardItem');
    Reflect.deleteProperty(navigator, 'clipboard');
  });

  it('accesses the clipboard synchronously, and writes only the text if the HTML is rejected', async () => {
    const writes: string[] = [];
    define(globalThis, 'ClipboardItem', class {});
    define(navigator, 'clipboard', {
      async write() {
        writes.push('text and HTML');
        throw new DOMException('', 'NotAllowedError');
      },
      async writeText(text: string) {
        writes.push(text);
      },
    });
    const written = writeToClipboard({ text: 'a', html: async () => '<p>a</p>' });
    expect(writes).to.deep.equal(['text and HTML']);
    await written;
    expect(writes).to.deep.equal(['text and HTML', 'a']);
  });
});
