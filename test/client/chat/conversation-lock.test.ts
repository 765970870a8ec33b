import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Conversation } from '../../../client/chat/conversation-interface.ts';
import { createTranscript } from '../../../client/chat/transcript.ts';
import { replies } from '../../../client-package/testing/fake-backend.ts';
import { createFakeLock } from '../../../client-package/testing/fake-lock.ts';
import { until } from '../../../client-package/testing/until.ts';
import { eventually } from '../../support/eventually.ts';
import { type Harness, harnessPerTest, lastTurn, shows, storageKey } from './conversation-harness.ts';

describe('A conversation during a turn of another tab', () => {
  const harness = harnessPerTest();

  const waitsInLine = ({ getState }: Conversation) => eventually(() => getState().draft.queued.length > 0 || undefined);

  async function askedInOtherTab() {
    const { backend, conversation, reopen } = harness;
    const otherTab = reopen();
    const opened = backend.open();
    const sent = conversation.send('Where do we stand?');
    const response = await opened;
    otherTab.setDraft('And then?');
    const asked = otherTab.send('And then?');
    await waitsInLine(otherTab);
    expect(otherTab.getState().draft).to.deep.include({ text: '', queued: ['And then?'] });
    return { otherTab, sent, response, asked };
  }

  it('queues its question and sends it within a second after the end of the other turn', async () => {
    const { backend, clock } = harness;
    const { otherTab, sent, response, asked } = await askedInOtherTab();
    otherTab.setDraft('Typed meanwhile');
    await clock.advance(5000);
    expect(otherTab.getState().waitsForOtherTab).to.equal(true);
    expect(backend.requests).to.have.length(1);
    backend.answer(replies('Pricing.'));
    response.end('Week 3.');
    await sent;
    await clock.advance(1000);
    expect(await asked).to.deep.equal({ type: 'done' });
    expect(otherTab.getState()).to.include({ waitsForOtherTab: false, wasSentAutomatically: true });
    const questions = otherTab.getState().turns.map(({ question }) => question);
    expect(questions).to.deep.equal(['Where do we stand?', 'And then?']);
    expect(otherTab.getState().draft).to.deep.include({ text: 'Typed meanwhile', queued: [] });
  });

  it('does not keep a Node process running while it waits', async () => {
    const { backend, clock, conversation, open } = harness;
    const awaited: number[] = [];
    const after: typeof clock.after = (milliseconds, action, isAwaited = true) => {
      if (isAwaited) awaited.push(milliseconds);
      return clock.after(milliseconds, action);
    };
    const opened = backend.open();
    const sent = conversation.send('Where do we stand?');
    const response = await opened;
    const otherTab = open({ clock: { ...clock, after } });
    void otherTab.send('And then?');
    await waitsInLine(otherTab);
    await clock.advance(5000);
    expect(awaited).to.deep.equal([]);
    otherTab.stop();
    response.end('Week 3.');
    await sent;
  });

  it('reads the end of the other reply before it sends its question', async () => {
    const { backend, clock, conversation, open, storage } = harness;
    const opened = backend.open();
    const sent = conversation.send('Where do we stand?');
    const response = await opened;
    const transcript = createTranscript(storage, storageKey);
    let record = transcript.load();
    const refresh = () =>
      new Promise<void>((resolve) => {
        clock.after(100, () => {
          record = transcript.load();
          resolve();
        });
      });
    const otherTab = open({ transcript: { ...transcript, load: () => record, refresh } });
    const asked = otherTab.send('And then?');
    await waitsInLine(otherTab);
    response.end('Week 3.');
    await sent;
    backend.answer(replies('Pricing.'));
    await clock.advance(1100);
    await asked;
    expect(backend.requests.at(-1)?.body).to.deep.include({
      messages: [
        { role: 'user', content: 'Where do we stand?' },
        { role: 'assistant', content: 'Week 3.' },
        { role: 'user', content: 'And then?' },
      ],
    });
  });

  it('sends questions that were added to the queue after the first queued one', async () => {
    const { backend, clock } = harness;
    const { otherTab, sent, response, asked } = await askedInOtherTab();
    const last = otherTab.send('And last?');
    backend.answer(replies('Pricing.'), replies('Hiring.'));
    response.end('Week 3.');
    await sent;
    await clock.advance(1000);
    await Promise.all([asked, last]);
    const questions = otherTab.getState().turns.map(({ question }) => question);
    expect(questions).to.deep.equal(['Where do we stand?', 'And then?', 'And last?']);
  });

  it('does not send a queued question if it is taken back or the user leaves the page', async () => {
    const { backend, clock, conversation } = harness;
    const first = await askedInOtherTab();
    first.otherTab.unqueue();
    expect(first.otherTab.getState().waitsForOtherTab).to.equal(false);
    expect(first.otherTab.getState().draft).to.deep.include({ text: 'And then?', queued: [] });
    const asked = first.otherTab.send('And then?');
    await waitsInLine(first.otherTab);
    first.otherTab.leave();
    expect(await asked).to.equal(null);
    expect(harness.reopen().getState().draft.queued).to.deep.equal(['And then?']);
    conversation.stop();
    await clock.advance(5000);
    expect(backend.requests).to.have.length(1);
  });

  it('does not release the lock of another tab when it is stopped after its own turn', async () => {
    const { backend, conversation, reopen } = harness;
    backend.answer(replies('Week 3.'));
    await conversation.send('Where do we stand?');
    const otherTab = reopen();
    const opened = backend.open();
    otherTab.send('And then?');
    await opened;
    conversation.stop();
    conversation.send('And last?');
    await until(conversation, ({ waitsForOtherTab }) => waitsForOtherTab);
    conversation.leave();
    otherTab.stop();
  });

  it('ends a turn that it has merged from the other tab once that tab has crashed', async () => {
    const { backend, clock, open, reopen } = harness;
    const lock = createFakeLock();
    let crash: (() => void) | null = null;
    const take = async () => {
      crash = await lock.take();
      return crash;
    };
    const crashing = open({ lock: { ...lock, take } });
    const otherTab = open({ lock });
    const opened = backend.open();
    crashing.send('Where do we stand?');
    (await opened).write('We are');
    await until(crashing, shows('We are'));
    crashing.persist();

    otherTab.loadStored();
    await clock.advance(1000);
    expect(lastTurn(otherTab)).to.deep.include({ reply: 'We are', ending: null });
    expect(crash).to.be.a('function');
    (crash as (() => void) | null)?.();
    await clock.advance(1000);
    expect(lastTurn(otherTab).ending).to.deep.equal({ type: 'left', requestId: 'turn-1' });
    expect(lastTurn(reopen()).ending).to.equal(null);
    crashing.stop();
  });

  it('does not overwrite the turn of the other tab', async () => {
    const { backend, conversation, storage, reopen } = harness;
    const otherTab = reopen();
    const opened = backend.open();
    conversation.send('Where do we stand?');
    (await opened).write('We are');
    await until(conversation, shows('We are'));
    conversation.persist();
    const stored = storage.getItem(storageKey);
    const asked = otherTab.send('And then?');
    await waitsInLine(otherTab);
    otherTab.leave();
    await asked;
    expect(storage.getItem(storageKey)).to.equal(stored);
    conversation.stop();
  });

  const releases = {
    'stops its turn': async ({ conversation }: Harness) => conversation.stop(),
    'is closed': async ({ conversation }: Harness) => conversation.leave(),
    'clears the conversation': async ({ conversation }: Harness) => conversation.clear(),
  };
  for (const [title, release] of Object.entries(releases)) {
    it(`can send a question as soon as the other tab ${title}`, async () => {
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
