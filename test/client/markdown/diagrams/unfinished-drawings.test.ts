import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createUnfinishedDrawings } from '../../../../client/markdown/diagrams/unfinished-drawings.ts';
import { createFakeStorage } from '../../../../client-package/testing/fake-storage.ts';

describe('Drawings that did not finish', () => {
  let now = 0;
  const storage = createFakeStorage();
  const drawings = createUnfinishedDrawings(storage, () => now);

  beforeEach(() => {
    storage.items.clear();
    now = 0;
  });

  it('are known to later pages', () => {
    drawings.start('pie');
    now = 5001;
    expect(drawings.has('pie')).to.equal(true);
    expect(drawings.has('gantt')).to.equal(false);
  });

  it('are forgotten once the drawing finishes', () => {
    drawings.start('pie');
    drawings.finish('pie');
    now = 5001;
    expect(drawings.has('pie')).to.equal(false);
  });

  it('do not include drawings that another tab has just started', () => {
    drawings.start('pie');
    now = 5000;
    expect(drawings.has('pie')).to.equal(false);
  });

  it('count from the time of their first attempt', () => {
    drawings.start('pie');
    now = 4000;
    drawings.start('pie');
    now = 5001;
    expect(drawings.has('pie')).to.equal(true);
  });

  it('are limited to the latest hundred', () => {
    for (let index = 0; index <= 100; index += 1) drawings.start(`pie ${index}`);
    now = 5001;
    expect([0, 1, 100].map((index) => drawings.has(`pie ${index}`))).to.deep.equal([false, true, true]);
  });

  it('are an empty list if the stored list is unreadable', () => {
    for (const text of ['{', '1', '[1, ["a"]]']) {
      storage.setItem('advisory-chat:unfinished-drawings', text);
      expect(drawings.has('pie')).to.equal(false);
    }
  });
});
