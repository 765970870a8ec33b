import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createConversationRows } from '../../../client/device/conversation-rows.ts';

const row = (id: string, lastActiveAt: number, title = id) => ({ id, title, lastActiveAt, shownId: null });

describe('The conversations as a page knows them', () => {
  it('are entries of which only those are new that have changed', () => {
    const rows = createConversationRows();
    rows.reset([row('one', 1), row('two', 2)]);
    const [two, one] = rows.entries();
    rows.reset([row('one', 3, 'Another title'), row('two', 2)]);
    const [changed, unchanged] = rows.entries();
    expect(changed).to.include({ id: 'one', title: 'Another title' }).and.not.equal(one);
    expect(unchanged).to.equal(two);
  });

  it('are the same list where nothing has changed', () => {
    const rows = createConversationRows();
    rows.reset([row('one', 1)]);
    const entries = rows.entries();
    rows.reset([row('one', 1)]);
    expect(rows.entries()).to.equal(entries);
  });
});
