import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { toClipboard } from '../../../client/controls/clipboard.ts';

type Kind = 'text/plain' | 'text/html';

/** A clipboard in the place of the browser's, and what has been put on it. */
function giveClipboard({ takesHtml }: { takesHtml: boolean }) {
  const put: Record<string, string>[] = [];
  const clipboard = {
    async write([item]: [{ parts: Record<Kind, Blob | Promise<Blob>> }]) {
      if (!takesHtml) throw new Error('NotAllowedError');
      const parts = Object.entries(item.parts);
      put.push(
        Object.fromEntries(await Promise.all(parts.map(async ([kind, part]) => [kind, await (await part).text()]))),
      );
    },
    async writeText(text: string) {
      put.push({ 'text/plain': text });
    },
  };
  class Item {
    parts: Record<string, unknown>;
    constructor(parts: Record<string, unknown>) {
      this.parts = parts;
    }
  }
  define(globalThis, 'ClipboardItem', Item);
  define(navigator, 'clipboard', clipboard);
  return put;
}

const define = (on: object, name: string, value: unknown) =>
  Object.defineProperty(on, name, { value, configurable: true });

describe('The clipboard', () => {
  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'ClipboardItem');
    Reflect.deleteProperty(navigator, 'clipboard');
  });

  it('gets the text alone where the HTML cannot be made, or is not taken', async () => {
    const put = giveClipboard({ takesHtml: true });
    await toClipboard({ text: 'a', html: () => Promise.reject(new Error('not loaded')) });
    const other = giveClipboard({ takesHtml: false });
    await toClipboard({ text: 'b', html: async () => '<p>b</p>' });
    expect([...put, ...other]).to.deep.equal([{ 'text/plain': 'a' }, { 'text/plain': 'b' }]);
  });

  it('is asked for in the click itself, not after the HTML has been made', async () => {
    const put = giveClipboard({ takesHtml: true });
    let isAsked = false;
    const { write } = navigator.clipboard;
    define(navigator.clipboard, 'write', (items: ClipboardItems) => {
      isAsked = true;
      return Reflect.apply(write, navigator.clipboard, [items]);
    });
    const copied = toClipboard({ text: 'a', html: async () => '<p>a</p>' });
    expect(isAsked).to.equal(true);
    await copied;
    expect(put).to.have.length(1);
  });
});
