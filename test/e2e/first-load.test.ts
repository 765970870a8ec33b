import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages } from '../../shared/interface.ts';
import { conversationOn } from './support/conversation.ts';
import { visit } from './support/visit.ts';

const mostBytes = 150_000;

describe('the first look at the chat window', () => {
  it('needs less than 150 kB of JavaScript, gzipped, until somebody can ask', async () => {
    const page = await visit(pages.demo);
    await conversationOn(page).composer.waitFor();
    const scripts = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => name)
        .filter((name) => name.endsWith('.js')),
    );
    expect(scripts).to.not.deep.equal([]);
    const sizes = await Promise.all(
      scripts.map(async (script) => gzipSync(await (await page.request.get(script)).body()).length),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.below(mostBytes);
  });
});
