import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { saveBlob, saveFile } from '../../../client/browser/save-file.ts';

describe('Saving a file', () => {
  const { createObjectURL, revokeObjectURL } = URL;
  let calls: string[];

  beforeEach(() => {
    calls = [];
    URL.createObjectURL = (content: Blob) => `blob:${content.type}`;
    URL.revokeObjectURL = (address) => void calls.push(`revoke ${address}`);
    const link = { href: '', download: '', click: () => void calls.push(`save ${link.href} as ${link.download}`) };
    Object.defineProperty(globalThis, 'document', { configurable: true, value: { createElement: () => link } });
  });
  afterEach(() => {
    Object.assign(URL, { createObjectURL, revokeObjectURL });
    Reflect.deleteProperty(globalThis, 'document');
  });

  it('releases the content of the file in a later task, because browsers may read the content only after the click', async () => {
    saveBlob('chart.png', new Blob([], { type: 'image/png' }));
    await Promise.resolve();
    expect(calls.splice(0)).to.deep.equal(['save blob:image/png as chart.png']);
    await setTimeout();
    expect(calls).to.deep.equal(['revoke blob:image/png']);
  });

  it('writes a text as UTF-8, under the given name', async () => {
    saveFile({ name: 'Plan.md', type: 'text/markdown', text: 'Où ?' });
    expect(calls).to.deep.equal(['save blob:text/markdown;charset=utf-8 as Plan.md']);
    await setTimeout();
  });
});
