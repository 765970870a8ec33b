import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createDebouncedSearch } from '../../../client/library/debounced-search.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';
import { perTest } from '../../support/per-suite.ts';

describe('A conversation search', () => {
  const clock = perTest(() => createFakeClock());
  /** The searches that were started, each with a function that ends it. */
  let searches: { words: string; finish: (results: string[]) => void; fail: () => void }[];

  beforeEach(() => {
    searches = [];
  });

  const open = () =>
    createDebouncedSearch<string>(
      (words) =>
        new Promise((finish, fail) => searches.push({ words, finish, fail: () => fail(new Error('No store.')) })),
      clock,
    );

  async function openAt(words: string) {
    const search = open();
    search.setQuery(words);
    await clock.advance(150);
    return search;
  }

  it('starts with the whole text once typing pauses', async () => {
    const search = open();
    search.setQuery('sup');
    await clock.advance(100);
    search.setQuery('suppliers');
    await clock.advance(149);
    expect(searches).to.have.length(0);
    await clock.advance(1);
    searches[0]?.finish(['Which suppliers matter?']);
    await clock.advance(0);
    expect(searches.map(({ words }) => words)).to.deep.equal(['suppliers']);
    expect(search.getState()).to.deep.equal({ query: 'suppliers', results: ['Which suppliers matter?'] });
  });

  it('shows the results for the latest text, whichever search finishes last', async () => {
    const search = await openAt('one');
    search.setQuery('two');
    await clock.advance(150);
    searches[1]?.finish(['Two']);
    searches[0]?.finish(['One']);
    await clock.advance(0);
    expect(search.getState().results).to.deep.equal(['Two']);
  });

  it('clears the results for blank text and ignores a search in flight', async () => {
    const search = await openAt('one');
    search.setQuery(' ');
    searches[0]?.finish(['One']);
    await clock.advance(1000);
    expect(search.getState()).to.deep.equal({ query: ' ', results: undefined });
    expect(searches).to.have.length(1);
  });

  it('keeps the previous results while the search is repeated, and clears them if the search fails', async () => {
    const search = open();
    search.refresh();
    search.setQuery('one');
    await clock.advance(150);
    searches[0]?.finish(['One']);
    await clock.advance(0);
    search.refresh();
    expect(search.getState().results).to.deep.equal(['One']);
    searches[1]?.fail();
    await clock.advance(0);
    expect(search.getState().results).to.deep.equal([]);
  });
});
