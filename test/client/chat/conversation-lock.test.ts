import { expect } from 'chai';
import { describe, it } from 'mocha';
import { systemClock } from '../../../client/chat/clock.ts';
import type { Conversation } from '../../../client/chat/conversation-interface.ts';
import { createTranscript } from '../../../client/chat/transcript.ts';
import { replies } from '../../../client-package/testing/fake-backend.ts';
import { createFakeLock } from '../../../client-package/testing/fake-lock.ts';
import { until } from '../../../client-package/testing/until.ts';
import { awaitedTimers } from './awaited-timers.ts';
import { harnessPerTest, lastTurn, questionsOf, storageKey } from './conversation-harness.ts';

describe('A conversation during a turn of another tab', () => {
  const { backend, clock, conversation, open, reopen, storage, stream, sentTexts } = harnessPerTest();

  const settled = () => new Promise((resolve) => setImmediate(resolve));

  async function waitsInLine(conversation: Conversation): Promise<void> {
    await until(conversation, ({ draft }) => draft.queued.length > 0);
    await settled();
  }

  async function askedInOtherTab() {
    const otherTab = reopen();
    const { sent, response } = await stream('Week ');
    otherTab.setDraft('And then?');
    const asked = otherTab.send('And then?');
    await waitsInLine(otherTab);
    expect(otherTab.getState().draft).to.deep.include({ text: '', queued: ['And then?'] });
    return { otherTab, sent, response, asked };
  }

  it('queues its questions and sends them in order within a second after the end of the other turn', async () => {
    const { otherTab, sent, response, asked } = await askedInOtherTab();
    const last = otherTab.send('And last?');
    await clock.advance(5000);
    expect(otherTab.getState().waitsForOtherTab).to.equal(true);
    expect(backend.requests).to.have.length(1);
    backend.answer(replies('Pricing.'), replies('Hiring.'), replies('Sales.'));
    response.end('3.');
    await sent;
    // The lock is free by now, but earlier questions are still queued.
    const afterwards = otherTab.send('And afterwards?');
    otherTab.setDraft('Typed meanwhile');
    await clock.advance(1000);
    expect(await asked).to.deep.equal({ type: 'done' });
    await Promise.all([last, afterwards]);
    expect(otherTab.getState()).to.include({ waitsForOtherTab: false, wasSentAutomatically: true });
    const questions = ['Where do we stand?', 'And then?', 'And last?', 'And afterwards?'];
    expect(questionsOf(otherTab)).to.deep.equal(questions);
    expect(otherTab.getState().draft).to.deep.include({ text: 'Typed meanwhile', queued: [] });
  });

  it('keeps an edited question in the message field', async () => {
    backend.answer(replies('Week 3.'));
    await conversation.send('Where?');
    const otherTab = reopen();
    otherTab.edit();
    otherTab.setDraft('Where now?');
    const { sent, response } = await stream('Pri');
    expect(await otherTab.send()).to.equal(null);
    expect(otherTab.getState().draft).to.deep.include({ text: 'Where now?', setAside: '', queued: [] });
    response.end('cing.');
    await sent;
  });

  it('does not keep a Node process running while it waits', async () => {
    const lock = { take: async () => null, isHeld: async () => true };
    const conversation = open({ clock: systemClock, lock });
    // Mocha sets its own timer once a test returns a promise.
    await settled();
    const count = awaitedTimers();
    void conversation.send('And then?');
    await waitsInLine(conversation);
    expect(awaitedTimers()).to.equal(count);
    conversation.stop();
  });

  it('reads the end of the other reply before it sends its question', async () => {
    const { sent, response } = await stream('Week ');
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
    response.end('3.');
    await sent;
    backend.answer(replies('Pricing.'));
    await clock.advance(1100);
    await asked;
    expect(sentTexts()).to.deep.equal(['Where do we stand?', 'Week 3.', 'And then?']);
  });

  it('does not send a queued question if the user takes the question back or leaves the page', async () => {
    const { otherTab } = await askedInOtherTab();
    otherTab.unqueue();
    expect(otherTab.getState().waitsForOtherTab).to.equal(false);
    expect(otherTab.getState().draft).to.deep.include({ text: 'And then?', queued: [] });
    const asked = otherTab.send('And then?');
    await waitsInLine(otherTab);
    otherTab.leave();
    expect(await asked).to.equal(null);
    expect(reopen().getState().draft.queued).to.deep.equal(['And then?']);
    conversation.stop();
    await clock.advance(5000);
    expect(backend.requests).to.have.length(1);
  });

  it('does not release the lock of another tab when the conversation is stopped after its own turn', async () => {
    backend.answer(replies('Week 3.'));
    await conversation.send('Where do we stand?');
    const otherTab = reopen();
    await stream('Pri', otherTab);
    conversation.stop();
    conversation.send('And last?');
    await until(conversation, ({ waitsForOtherTab }) => waitsForOtherTab);
    conversation.leave();
    otherTab.stop();
  });

  it('ends a turn that it has merged from the other tab once that tab has crashed', async () => {
    const lock = createFakeLock();
    const releases: ((() => void) | null)[] = [];
    const take = async () => {
      const release = await lock.take();
      releases.push(release);
      return release;
    };
    const crashing = open({ lock: { ...lock, take } });
    const otherTab = open({ lock });
    await stream('We are', crashing);
    crashing.persist();

    otherTab.loadStored();
    await clock.advance(1000);
    expect(lastTurn(otherTab)).to.deep.include({ reply: 'We are', ending: null });
    for (const release of releases) release?.();
    await clock.advance(1000);
    expect(lastTurn(otherTab).ending).to.deep.equal({ type: 'left', requestId: 'turn-1' });
    expect(lastTurn(reopen()).ending).to.equal(null);
    crashing.stop();
  });

  for (const [title, release] of [
    ['stops its turn', 'stop'],
    ['is closed', 'leave'],
    ['clears the conversation', 'clear'],
  ] as const) {
    it(`can send a question as soon as the other tab ${title}, even before its request has been sent`, async () => {
      for (const isSent of [true, false]) {
        const sent = isSent ? (await stream('Week')).sent : conversation.send('Where do we stand?');
        conversation[release]();
        await sent;
        backend.answer(replies('Pricing.'));
        const otherTab = reopen();
        expect(await otherTab.send('And then?')).to.deep.equal({ type: 'done' });
      }
    });
  }
});
