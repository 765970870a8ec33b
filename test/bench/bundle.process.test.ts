import { expect } from 'chai';
import { describe, it } from 'mocha';
import { measureBundle } from '../../bench/client/bundle.ts';

describe('what a browser downloads', () => {
  it('has in the first load the scripts that the page names and what they import, and what comes later not', async () => {
    const { table, tooLarge } = await measureBundle();
    const [sum, ...files] = table.rows.map(([name, kilobytes]) => ({
      name: String(name),
      kilobytes: Number(kilobytes),
    }));
    const first = files.filter(({ name }) => name.endsWith('.js (first load)'));
    const later = files.filter(({ name }) => name.endsWith('.js'));
    expect(first.reduce((total, { kilobytes }) => total + kilobytes, 0)).to.be.closeTo(sum?.kilobytes ?? 0, 1);
    // React alone is larger.
    expect(sum?.kilobytes).to.be.above(50);
    expect(later.map(({ name }) => name).join())
      .to.contain('markdown')
      .and.contain('highlighted-code');
    expect(tooLarge).to.equal(false);
  });
});
