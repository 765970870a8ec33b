import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { fails, replies, staysSilent } from '../../../client-package/testing/fake-backend.ts';
import { until } from '../../../client-package/testing/until.ts';
import { type Harness, lastTurn, startHarness } from './conversation-harness.ts';

describe('The last turn', () => {
  let harness: Harness;

  beforeEach(async () => {
    harness = await startHarness();
    const { backend, conversation } = harness;
    backend.answer(replies('Hello.'), replies('Week 3.'));
    await conversation.send('Hi');
    await conversation.send('Where do we stand?');
  });

  afterEach(() => harness.backend.close());

  const questionsAndReplies = () =>
    harness.conversation.getState().turns.map(({ question, reply }) => [question, reply]);
  const asItWas = [
    ['Hi', 'Hello.'],
    ['Where do we stand?', 'Week 3.'],
  ];

  describe('when its reply is regenerated', () => {
    it('is asked anew, with a new request id, after the turns before it', async () => {
      const { backend, conversation } = harness;
      backend.answer(replies('Week three.'));
      await conversation.regenerate();
      expect(backend.requests.at(-1)).to.deep.equal({
        requestId: 'turn-3',
        body: {
          messages: [
            { role: 'user', content: 'Hi' },
            { role: 'assistant', content: 'Hello.' },
            { role: 'user', content: 'Where do we stand?' },
          ],
        },
      });
      expect(questionsAndReplies()).to.deep.equal([asItWas[0], ['Where do we stand?', 'Week three.']]);
    });

    it('keeps the reply it had where nothing comes of it, says why, and can be tried again', async () => {
      const { backend, conversation } = harness;
      backend.answer(fails('INTERNAL'), replies('Week three.'));
      await conversation.regenerate();
      expect(questionsAndReplies()).to.deep.equal(asItWas);
      expect(conversation.getState().setback).to.include({ sentence: 'Something went wrong on our side.' });
      await conversation.tryAgain();
      expect(lastTurn(conversation).reply).to.equal('Week three.');
      expect(conversation.getState().setback).to.equal(null);
    });

    it('keeps the reply it had when stopped before anything arrived, or reloaded', async () => {
      const { backend, conversation, reopen } = harness;
      backend.answer(staysSilent);
      const again = conversation.regenerate();
      await until(conversation, ({ phase }) => phase.name === 'waiting');
      expect(lastTurn(reopen()).reply).to.equal('Week 3.');
      conversation.stop();
      await again;
      expect(questionsAndReplies()).to.deep.equal(asItWas);
      expect(conversation.getState()).to.include({ setback: null });
      expect(conversation.getState().versions.size).to.equal(0);
    });

    it('keeps the reply it had where the session has ended', async () => {
      const { backend, conversation } = harness;
      backend.answer(fails('UNAUTHENTICATED'));
      expect(await conversation.regenerate()).to.include({ code: 'UNAUTHENTICATED' });
      expect(questionsAndReplies()).to.deep.equal(asItWas);
      expect(conversation.getState()).to.include({ draft: '', wasRefused: false });
    });
  });

  describe('when its question is edited', () => {
    beforeEach(() => {
      const { conversation } = harness;
      conversation.setDraft('And then?');
      conversation.edit();
    });

    it('comes back into the message field, and the draft is put aside', () => {
      expect(harness.conversation.getState()).to.include({ draft: 'Where do we stand?', setAside: 'And then?' });
    });

    it('is left as it was when the edit is cancelled', () => {
      const { conversation } = harness;
      conversation.setDraft('Where are we?');
      conversation.cancelEdit();
      expect(conversation.getState()).to.include({ draft: 'And then?', setAside: null });
      expect(questionsAndReplies()).to.deep.equal(asItWas);
    });

    it('comes back as it was reworded when the edit was cancelled, until that was sent or taken out', async () => {
      const { backend, conversation } = harness;
      const leave = (draft: string) => {
        conversation.setDraft(draft);
        conversation.cancelEdit();
        conversation.edit();
      };
      leave('Where are we?');
      expect(conversation.getState().draft).to.equal('Where are we?');
      leave(' ');
      expect(conversation.getState().draft).to.equal('Where do we stand?');
      leave('Where are we?');
      backend.answer(replies('In week 3.'));
      await conversation.send('Where are we?');
      conversation.edit();
      expect(conversation.getState().draft).to.equal('Where are we?');
      conversation.cancelEdit();
      conversation.showVersion('turn-2');
      conversation.edit();
      expect(conversation.getState().draft).to.equal('Where do we stand?');
    });

    it('is sent in its own place, and the draft is back', async () => {
      const { backend, conversation } = harness;
      backend.answer(replies('In week 3.'));
      await conversation.send('Where do we stand?');
      expect(backend.requests.at(-1)).to.deep.include({ requestId: 'turn-3' });
      expect(questionsAndReplies()).to.deep.equal([asItWas[0], ['Where do we stand?', 'In week 3.']]);
      expect(conversation.getState()).to.include({ draft: 'And then?', setAside: null });
    });

    it('is still being edited after a reload', () => {
      const { conversation, reopen } = harness;
      conversation.setDraft('Where are we?');
      conversation.leave();
      expect(reopen().getState()).to.include({ draft: 'Where are we?', setAside: 'And then?' });
    });

    it('loses nothing where nothing comes of it: turn, edit and draft are there, also after a reload', async () => {
      const { backend, conversation, reopen } = harness;
      backend.answer(fails('INTERNAL'), replies('Week three.'));
      conversation.setDraft('Where are we?');
      await conversation.send('Where are we?');
      expect(questionsAndReplies()).to.deep.equal(asItWas);
      const typed = { draft: 'Where are we?', setAside: 'And then?' };
      expect(conversation.getState()).to.include(typed);
      expect(reopen().getState()).to.include(typed);
      await conversation.tryAgain();
      expect(questionsAndReplies()).to.deep.equal([asItWas[0], ['Where are we?', 'Week three.']]);
      expect(conversation.getState()).to.include({ draft: 'And then?', setAside: null });
    });

    it('loses nothing in a reload before the new reply has begun', async () => {
      const { backend, conversation, reopen } = harness;
      backend.answer(staysSilent);
      conversation.setDraft('Where are we?');
      conversation.send('Where are we?');
      await until(conversation, ({ phase }) => phase.name === 'waiting');
      const reopened = reopen();
      expect(reopened.getState()).to.include({ draft: 'Where are we?', setAside: 'And then?' });
      expect(lastTurn(reopened).reply).to.equal('Week 3.');
      conversation.stop();
    });

    it('is still being edited where another tab has gone on with the conversation', async () => {
      const { backend, conversation, reopen } = harness;
      backend.answer(replies('Pricing.'));
      const otherTab = reopen();
      otherTab.cancelEdit();
      await otherTab.send('What is next?');
      conversation.takeIn();
      expect(conversation.getState()).to.include({ draft: 'Where do we stand?', setAside: 'And then?' });
      expect(lastTurn(conversation).reply).to.equal('Pricing.');
    });

    it('becomes a new question where another tab has begun a new conversation', () => {
      const { conversation, reopen } = harness;
      reopen().startOver();
      conversation.takeIn();
      const typed = { draft: 'And then?\n\nWhere do we stand?', setAside: null, editedId: null };
      expect(conversation.getState()).to.include(typed);
    });
  });
});
