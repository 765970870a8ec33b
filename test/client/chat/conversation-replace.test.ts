import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { fails, replies, staysSilent } from '../../../client-package/testing/fake-backend.ts';
import { until } from '../../../client-package/testing/until.ts';
import { harnessPerTest, lastTurn, repliesOf } from './conversation-harness.ts';

describe('A turn', () => {
  const { backend, conversation, reopen, sentTexts } = harnessPerTest();

  beforeEach(async () => {
    backend.answer(replies('Hello.'), replies('Week 3.'));
    await conversation.send('Hi');
    await conversation.send('Where do we stand?');
  });

  const questionsAndReplies = () => conversation.getState().turns.map(({ question, reply }) => [question, reply]);
  const original = [
    ['Hi', 'Hello.'],
    ['Where do we stand?', 'Week 3.'],
  ];

  describe('when its reply is regenerated', () => {
    it('is sent again with a new request id and the turns before it', async () => {
      backend.answer(replies('Week three.'));
      expect(await conversation.regenerate('unknown')).to.equal(null);
      await conversation.regenerate();
      expect(backend.requests.at(-1)?.requestId).to.equal('turn-3');
      expect(sentTexts()).to.deep.equal(['Hi', 'Hello.', 'Where do we stand?']);
      expect(questionsAndReplies()).to.deep.equal([original[0], ['Where do we stand?', 'Week three.']]);
    });

    it('stays as a failed version if the request fails, until a retry with the same request id replaces it', async () => {
      backend.answer(fails('INTERNAL'), replies('Week three.'));
      await conversation.regenerate();
      expect(questionsAndReplies()).to.deep.equal([original[0], ['Where do we stand?', '']]);
      expect(lastTurn(conversation).ending).to.include({ sentence: 'Something went wrong on our side.' });
      expect(conversation.getState().versions.get('turn-3')?.reply).to.include({ number: 2, previousId: 'turn-2' });
      await conversation.tryAgain();
      expect(backend.requests.at(-1)?.requestId).to.equal('turn-3');
      const { tree } = conversation.getState();
      expect(tree.turns.map(({ reply }) => reply)).to.deep.equal(['Hello.', 'Week 3.', 'Week three.']);
    });

    it('stays as an empty version if it is stopped or the page is reloaded before the first text', async () => {
      backend.answer(staysSilent);
      const regenerated = conversation.regenerate();
      await until(conversation, ({ phase }) => phase.name === 'waiting');
      expect(lastTurn(reopen())).to.include({ id: 'turn-3', ending: null });
      conversation.stop();
      await regenerated;
      expect(lastTurn(conversation)).to.deep.include({ id: 'turn-3', reply: '', ending: { type: 'stopped' } });
      conversation.showVersion('turn-2');
      expect(questionsAndReplies()).to.deep.equal(original);
    });

    it('is sent with only the turns before it, and leaves later turns with its previous version', async () => {
      backend.answer(replies('Good morning.'));
      await conversation.regenerate('turn-1');
      expect(sentTexts()).to.deep.equal(['Hi']);
      expect(questionsAndReplies()).to.deep.equal([['Hi', 'Good morning.']]);
      expect(conversation.getState().versions.get('turn-3')?.reply).to.include({ number: 2, previousId: 'turn-2' });
      conversation.showVersion('turn-2');
      expect(questionsAndReplies()).to.deep.equal(original);
    });

    it('leads back to the later turns that its previous version last showed, even after a reload', async () => {
      backend.answer(replies('Week three.'), replies('Good morning.'));
      await conversation.regenerate();
      conversation.showVersion('turn-2');
      await conversation.regenerate('turn-1');
      const reopened = reopen();
      reopened.showVersion(reopened.getState().versions.get('turn-4')?.reply.previousId ?? '');
      expect(repliesOf(reopened)).to.deep.equal(['Hello.', 'Week 3.']);
    });

    it('is sent again with its own question, not with that of the continuation, if its reply was continued', async () => {
      backend.answer(replies('And so on.'), replies('Week three.'));
      await conversation.continueReply('Continue.');
      await conversation.regenerate();
      expect(sentTexts()).to.deep.equal(['Hi', 'Hello.', 'Where do we stand?']);
      expect(conversation.getState().versions.get('turn-4')?.reply).to.include({ number: 2, previousId: 'turn-3' });
      conversation.showVersion('turn-3');
      conversation.edit();
      expect(conversation.getState().draft).to.include({ text: 'Where do we stand?', editedId: 'turn-2' });
    });

    it('is replaced by its previous version if the service refuses it', async () => {
      backend.answer(fails('UNAUTHENTICATED'));
      expect(await conversation.regenerate()).to.include({ code: 'UNAUTHENTICATED' });
      expect(questionsAndReplies()).to.deep.equal(original);
      expect(conversation.getState().draft).to.include({ text: '', wasRefused: false });
    });
  });

  describe('when its question is edited', () => {
    beforeEach(() => {
      conversation.setDraft('And then?');
      conversation.edit();
    });

    it('stays as another version if the edited turn fails, and the draft is restored', async () => {
      backend.answer(fails('INTERNAL'), replies('Week three.'));
      conversation.setDraft('Where are we?');
      await conversation.send('Where are we?');
      expect(questionsAndReplies()).to.deep.equal([original[0], ['Where are we?', '']]);
      expect(conversation.getState().versions.get('turn-3')?.question).to.include({ number: 2, previousId: 'turn-2' });
      for (const { getState } of [conversation, reopen()])
        expect(getState().draft).to.include({ text: 'And then?', setAside: null });
      await conversation.tryAgain();
      expect(questionsAndReplies()).to.deep.equal([original[0], ['Where are we?', 'Week three.']]);
    });

    it('is still being edited after another tab has continued the conversation', async () => {
      backend.answer(replies('Pricing.'));
      const otherTab = reopen();
      otherTab.cancelEdit();
      await otherTab.send('What is next?');
      conversation.loadStored();
      expect(conversation.getState().draft).to.include({ text: 'Where do we stand?', setAside: 'And then?' });
      expect(lastTurn(conversation).reply).to.equal('Pricing.');
    });
  });

  it('keeps a version without a reply until the same question is sent again', async () => {
    backend.answer(fails('INTERNAL'), fails('INTERNAL'), replies('Pricing.'));
    await conversation.send('Next?');
    conversation.edit();
    await conversation.send('Next?');
    expect(conversation.getState().tree.turns).to.have.length(3);
    conversation.edit();
    conversation.setDraft('What is next?');
    await conversation.send('What is next?');
    expect(lastTurn(conversation)).to.include({ question: 'What is next?', reply: 'Pricing.' });
    expect(conversation.getState().versions.get('turn-5')?.question).to.include({ number: 2, count: 2 });
  });

  it('keeps a version without a reply if other turns follow it', async () => {
    backend.answer(fails('INTERNAL'), replies('Pricing.'), replies('Hiring.'));
    await conversation.send('Next?');
    await conversation.send('And then?');
    await conversation.regenerate('turn-3');
    expect(repliesOf(conversation)).to.deep.equal(['Hello.', 'Week 3.', 'Hiring.']);
    conversation.showVersion('turn-3');
    expect(repliesOf(conversation)).to.deep.equal(['Hello.', 'Week 3.', '', 'Pricing.']);
  });
});
