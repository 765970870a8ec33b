import { expect } from 'chai';
import { describe, it } from 'mocha';
import { replies } from '../../../client-package/testing/fake-backend.ts';
import { until } from '../../../client-package/testing/until.ts';
import { type Harness, harnessOfEachTest, lastTurn, shows, storageKey } from './conversation-harness.ts';

describe('A conversation while another tab waits for a reply', () => {
  const harness = harnessOfEachTest();

  it('takes that back within a second of the end of the other, by itself', async () => {
    const { backend, clock, conversation, reopen } = harness;
    const otherTab = reopen();
    const opened = backend.open();
    const sent = conversation.send('Where do we stand?');
    const response = await opened;
    await otherTab.send('And then?');
    await clock.advance(5000);
    expect(otherTab.getState().isBusyElsewhere).to.equal(true);
    response.end('Week 3.');
    await sent;
    await clock.advance(1000);
    expect(otherTab.getState().isBusyElsewhere).to.equal(false);
    expect(otherTab.composer.getState().draft).to.equal('');
  });

  it('writes nothing over what the other keeps', async () => {
    const { backend, conversation, storage, reopen } = harness;
    const otherTab = reopen();
    const opened = backend.open();
    conversation.send('Where do we stand?');
    (await opened).write('We are');
    await until(conversation, shows('We are'));
    conversation.keep();
    const kept = storage.getItem(storageKey);
    await otherTab.send('And then?');
    otherTab.leave();
    expect(storage.getItem(storageKey)).to.equal(kept);
    conversation.stop();
  });

  const releases = {
    'is stopped': async ({ conversation }: Harness) => conversation.stop(),
    'leaves the page': async ({ conversation }: Harness) => conversation.leave(),
    'is cleared': async ({ conversation }: Harness) => conversation.clear(),
  };
  for (const [what, release] of Object.entries(releases)) {
    it(`may send as soon as the other ${what}`, async () => {
      const { backend, conversation, reopen } = harness;
      const opened = backend.open();
      conversation.send('Where do we stand?');
      await opened;
      await release(harness);
      backend.answer(replies('Pricing.'));
      const otherTab = reopen();
      await otherTab.send('And then?');
      expect(lastTurn(otherTab).reply).to.equal('Pricing.');
    });
  }
});
