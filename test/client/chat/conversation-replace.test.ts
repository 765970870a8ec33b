import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import type { TurnVersions } from '../../../client/chat/conversation-tree.ts';
import { fails, replies, staysSilent } from '../../../client-package/testing/fake-backend.ts';
import { until } from '../../../client-package/testing/until.ts';
import { harnessOfEachTest, lastTurn } from './conversation-harness.ts';

describe('The last turn', () => {
  const harness = harnessOfEachTest();

  beforeEach(async () => {
    const { backend, conversation } = harness;
    backend.answer(replies('Hello.'), replies('Week 3.'));
    await conversation.send('Hi');
    await conversation.send('Where do we stand?');
  });

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
      expect(backend.requests.at(-1)).to.deep.include({
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

    it('says no longer why a rewording failed once its edit is cancelled', async () => {
      const { backend, conversation } = harness;
      backend.answer(fails('INTERNAL'));
      conversation.composer.edit();
      conversation.composer.setDraft('Where are we?');
      await conversation.send('Where are we?');
      expect(conversation.getState().setback).to.not.equal(null);
      conversation.composer.cancelEdit();
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
      expect(conversation.composer.getState()).to.include({ draft: '', wasRefused: false });
    });
  });

  describe('when it was followed by others', () => {
    it('shows what followed again where nothing comes of its reworded question', async () => {
      const { backend, reopen } = harness;
      backend.answer(fails('INTERNAL'), replies('Pricing.'), fails('INTERNAL'));
      const conversation = reopen();
      await conversation.send('What failed?');
      await conversation.send('What is next?');
      const failed = conversation.getState().turns.find(({ question }) => question === 'What failed?');
      conversation.composer.edit(failed?.id);
      await conversation.send('What went wrong?');
      expect(lastTurn(conversation).question).to.equal('What is next?');
    });
  });

  describe('when its question is edited', () => {
    beforeEach(() => {
      const { conversation } = harness;
      conversation.composer.setDraft('And then?');
      conversation.composer.edit();
    });

    it('comes back as it was reworded when the edit was cancelled, until that was sent or taken out', async () => {
      const { backend, conversation } = harness;
      const leave = (draft: string) => {
        conversation.composer.setDraft(draft);
        conversation.composer.cancelEdit();
        conversation.composer.edit();
      };
      leave('Where are we?');
      expect(conversation.composer.getState().draft).to.equal('Where are we?');
      leave(' ');
      expect(conversation.composer.getState().draft).to.equal('Where do we stand?');
      leave('Where are we?');
      backend.answer(replies('In week 3.'));
      await conversation.send('Where are we?');
      conversation.composer.edit();
      expect(conversation.composer.getState().draft).to.equal('Where are we?');
      conversation.composer.cancelEdit();
      conversation.showVersion('turn-2');
      conversation.composer.edit();
      expect(conversation.composer.getState().draft).to.equal('Where do we stand?');
    });

    it('loses nothing where nothing comes of it: turn, edit and draft are there, also after a reload', async () => {
      const { backend, conversation, reopen } = harness;
      backend.answer(fails('INTERNAL'), replies('Week three.'));
      conversation.composer.setDraft('Where are we?');
      await conversation.send('Where are we?');
      expect(questionsAndReplies()).to.deep.equal(asItWas);
      const typed = { draft: 'Where are we?', setAside: 'And then?' };
      expect(conversation.composer.getState()).to.include(typed);
      expect(reopen().composer.getState()).to.include(typed);
      await conversation.tryAgain();
      expect(questionsAndReplies()).to.deep.equal([asItWas[0], ['Where are we?', 'Week three.']]);
      expect(conversation.composer.getState()).to.include({ draft: 'And then?', setAside: null });
    });

    it('loses nothing in a reload before the new reply has begun', async () => {
      const { backend, conversation, reopen } = harness;
      backend.answer(staysSilent);
      conversation.composer.setDraft('Where are we?');
      conversation.send('Where are we?');
      await until(conversation, ({ phase }) => phase.name === 'waiting');
      const reopened = reopen();
      expect(reopened.composer.getState()).to.include({ draft: 'Where are we?', setAside: 'And then?' });
      expect(lastTurn(reopened).reply).to.equal('Week 3.');
      conversation.stop();
    });

    it('is still being edited where another tab has gone on with the conversation', async () => {
      const { backend, conversation, reopen } = harness;
      backend.answer(replies('Pricing.'));
      const otherTab = reopen();
      otherTab.composer.cancelEdit();
      await otherTab.send('What is next?');
      conversation.takeIn();
      expect(conversation.composer.getState()).to.include({ draft: 'Where do we stand?', setAside: 'And then?' });
      expect(lastTurn(conversation).reply).to.equal('Pricing.');
    });

    it('becomes a new question where another tab has deleted the conversation', () => {
      const { conversation, reopen } = harness;
      reopen().clear();
      conversation.takeIn();
      const typed = { draft: 'And then?\n\nWhere do we stand?', setAside: null, editedId: null };
      expect(conversation.composer.getState()).to.include(typed);
    });
  });

  describe('with its versions', () => {
    function versionsOf(index: number): TurnVersions | undefined {
      const { turns, versions } = harness.conversation.getState();
      return versions.get(turns[index]?.id ?? '');
    }

    function show(id: string | null | undefined): void {
      if (typeof id !== 'string') throw new Error('There is no such version.');
      harness.conversation.showVersion(id);
    }

    async function regenerate(): Promise<void> {
      harness.backend.answer(replies('Week three.'));
      await harness.conversation.regenerate();
    }

    it('shows none that another tab shows or asks for; what that asks after this one it does', async () => {
      const { backend, conversation, reopen } = harness;
      const otherTab = reopen();
      backend.answer(replies('Week three.'), replies('Pricing.'));
      await otherTab.regenerate();
      conversation.takeIn();
      expect(questionsAndReplies()).to.deep.equal(asItWas);
      expect(versionsOf(1)?.reply).to.include({ number: 1, count: 2 });
      otherTab.showVersion(lastTurn(conversation).id);
      await otherTab.send('What is next?');
      conversation.takeIn();
      expect(questionsAndReplies()).to.deep.equal([...asItWas, ['What is next?', 'Pricing.']]);
    });

    it('forgets a setback once another one is shown', async () => {
      await regenerate();
      const { backend, conversation } = harness;
      backend.answer(fails('INTERNAL'));
      await conversation.regenerate();
      expect(conversation.getState().setback).to.not.equal(null);
      show(versionsOf(1)?.reply.previousId);
      expect(conversation.getState().setback).to.equal(null);
    });

    it('keeps those of a question that got no answer too; the same one asked again takes its place', async () => {
      const { backend, conversation } = harness;
      backend.answer(fails('INTERNAL'), fails('INTERNAL'), replies('Pricing.'));
      await conversation.send('Next?');
      conversation.composer.edit();
      await conversation.send('Next?');
      expect(conversation.getState().tree.turns).to.have.length(3);
      conversation.composer.edit();
      conversation.composer.setDraft('What is next?');
      await conversation.send('What is next?');
      expect(lastTurn(conversation)).to.include({ question: 'What is next?', reply: 'Pricing.' });
      expect(versionsOf(2)?.question).to.include({ number: 2, count: 2 });
    });
  });
});
