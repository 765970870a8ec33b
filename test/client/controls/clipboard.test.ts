import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { toClipboard } from '../../../client/controls/clipboard.ts';

const define = (on: object, name: string, value: unknown) =>
  Object.defineProperty(on, name, { value, configurable: true });

describe('The clipboard', () => {
  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'ClipboardItem');
    Reflect.deleteProperty(navigator, 'clipboard');
  });

  it('is asked for in the click itself, and gets the text alone where the HTML is not taken', async () => {
    const asked: string[] = [];
    define(globalThis, 'ClipboardItem', class {});
    define(navigator, 'clipboard', {
      async write() {
        asked.push('both');
        throw new DOMException('', 'NotAllowedError');
      },
      async writeText(text: string) {
        asked.push(text);
      },
    });
    const copied = toClipboard({ text: 'a', html: async () => '<p>a</p>' });
    expect(asked).to.deep.equal(['both']);
    await copied;
    expect(asked).to.deep.equal(['both', 'a']);
  });
});
