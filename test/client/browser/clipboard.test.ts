import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { writeToClipboard } from '../../../client/browser/clipboard.ts';

const define = (on: object, name: string, value: unknown) =>
  Object.defineProperty(on, name, { value, configurable: true });

describe('writeToClipboard', () => {
  afterEach(() => {
    Reflect.deleteProperty(globalThis, 'ClipboardItem');
    Reflect.deleteProperty(navigator, 'clipboard');
  });

  it('accesses the clipboard synchronously, and writes only the text if the browser rejects the HTML', async () => {
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

  it('writes text and HTML as one item, or only the text if there is no HTML', async () => {
    const writes: unknown[] = [];
    define(navigator, 'clipboard', {
      write: async ([item]: [unknown]) => writes.push(item),
      writeText: async (text: string) => writes.push(text),
    });
    class FakeItem {
      constructor(formats: object) {
        Object.assign(this, formats);
      }
    }
    define(globalThis, 'ClipboardItem', FakeItem);
    await writeToClipboard({ text: 'a', html: async () => '<p>a</p>' });
    const [item = {}] = writes.splice(0) as Record<string, Blob | Promise<Blob>>[];
    const written = Object.entries(item).map(async ([type, content]) => `${type}: ${await (await content).text()}`);
    expect(await Promise.all(written)).to.deep.equal(['text/plain: a', 'text/html: <p>a</p>']);
    await writeToClipboard({ text: 'b' });
    expect(writes).to.deep.equal(['b']);
  });

  it('writes only the text in a browser that cannot write HTML, and rejects if access is denied', async () => {
    define(navigator, 'clipboard', {
      async writeText(text: string) {
        throw new DOMException(text, 'NotAllowedError');
      },
    });
    const error = await writeToClipboard({ text: 'a', html: async () => '<p>a</p>' }).catch((thrown: Error) => thrown);
    expect(error).to.include({ name: 'NotAllowedError', message: 'a' });
  });
});
