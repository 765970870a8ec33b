import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { saveBlob } from '../../../client/controls/save-file.ts';

describe('saveBlob', () => {
  const { createObjectURL, revokeObjectURL } = URL;
  let calls: string[];

  beforeEach(() => {
    calls = [];
    URL.createObjectURL = () => 'blob:picture';
    URL.revokeObjectURL = (address) => void calls.push(`revoke ${address}`);
    const link = {
      href: '',
      download: '',
      click: () => void calls.push(`save ${link.href} as ${link.download}`),
    };
    Object.defineProperty(globalThis, 'document', { configurable: true, value: { createElement: () => link } });
  });
  afterEach(() => {
    Object.assign(URL, { createObjectURL, revokeObjectURL });
    Reflect.deleteProperty(globalThis, 'document');
  });

  it('releases the content in a later task, because browsers may read it only after the click', async () => {
    saveBlob('chart.png', new Blob());
    await Promise.resolve();
    expect(calls.splice(0)).to.deep.equal(['save blob:picture as chart.png']);
    await setTimeout();
    expect(calls).to.deep.equal(['revoke blob:picture']);
  });
});
