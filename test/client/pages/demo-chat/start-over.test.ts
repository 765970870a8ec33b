import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createTranscript } from '../../../../client/chat/transcript.ts';
import { createUndoOffer } from '../../../../client/library/undo.ts';
import { startOver } from '../../../../client/pages/demo-chat/demo-conversation.ts';
import { replies } from '../../../../client-package/testing/fake-backend.ts';
import { perTest } from '../../../support/per-suite.ts';
import { harnessPerTest, storageKey } from '../../chat/conversation-harness.ts';

describe('startOver', () => {
  const { backend, conversation, reopen, storage, stream } = harnessPerTest();
  const undoOffer = perTest(() => createUndoOffer());

  function start(): void {
    startOver({ conversation, transcript: createTranscript(storage, storageKey), undoOffer });
  }

  const shown = () => conversation.getState().turns.map(({ question, reply }) => [question, reply]);
  const typed = () => conversation.getState().draft.text;

  it('clears the conversation and its stored turns, and keeps the draft', async () => {
    backend.answer(replies('In week 3.'));
    await conversation.send('Where do we stand?');
    conversation.setDraft('And then?');
    start();
    expect(shown()).to.deep.equal([]);
    expect(typed()).to.equal('And then?');
    conversation.persist();
    expect(reopen().getState().turns).to.deep.equal([]);
    expect(reopen().getState().draft.text).to.equal('And then?');
  });

  it('offers an undo that is named after the first question, restores the turns and keeps the new draft', async () => {
    backend.answer(replies('In week 3.', 'c1'), replies('Now.', 'c1'));
    await conversation.send('Where do we stand?');
    await conversation.send('By when?');
    start();
    conversation.setDraft('And then?');
    expect(undoOffer.getState().undoables[0]?.title).to.equal('Where do we stand?');
    undoOffer.undo();
    expect(shown()).to.deep.equal([
      ['Where do we stand?', 'In week 3.'],
      ['By when?', 'Now.'],
    ]);
    expect(typed()).to.equal('And then?');
    expect(conversation.getState().conversationId).to.equal('c1');
    expect(reopen().getState().turns).to.have.length(2);
  });

  it('offers an undo that stops the new reply in progress and restores the turns', async () => {
    backend.answer(replies('In week 3.'));
    await conversation.send('Where do we stand?');
    start();
    const { sent } = await stream('Then');
    undoOffer.undo();
    expect(shown()).to.deep.equal([['Where do we stand?', 'In week 3.']]);
    expect(await sent).to.deep.equal({ type: 'stopped' });
    expect(shown()).to.deep.equal([['Where do we stand?', 'In week 3.']]);
  });

  it('stops the running reply and moves the queued question to the message field', async () => {
    const { sent } = await stream('In week');
    conversation.queue('And then?');
    start();
    await sent;
    expect(typed()).to.equal('And then?');
    expect(shown()).to.deep.equal([]);
    undoOffer.undo();
    expect(conversation.getState().turns.at(-1)).to.deep.include({ reply: 'In week', ending: { type: 'stopped' } });
  });
});
