import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { fails, replies } from '../../../client-package/testing/fake-backend.ts';
import { until } from '../../../client-package/testing/until.ts';
import { type Harness, shows, startHarness } from './conversation-harness.ts';

describe('A conversation that is started over', () => {
  let harness: Harness;

  beforeEach(async () => {
    harness = await startHarness();
  });

  afterEach(() => harness.backend.close());

  it('is a new one, and keeps only the draft', async () => {
    const { backend, conversation } = harness;
    backend.answer(replies('Week 3.', 'c123456789012345678901234'), replies('Hello.'));
    await conversation.send('Where do we stand?');
    conversation.setDraft('Something else');
    conversation.startOver();
    expect(conversation.getState()).to.deep.include({ turns: [], draft: 'Something else' });
    await conversation.send('Something else');
    expect(backend.requests.at(-1)?.body).to.deep.equal({ messages: [{ role: 'user', content: 'Something else' }] });
  });

  it('can be brought back with all its versions, here and on the device, while nothing new was asked', async () => {
    const { backend, conversation, reopen } = harness;
    const conversationId = 'c123456789012345678901234';
    backend.answer(replies('Week 3.', conversationId), replies('Week three.'), replies('Pricing.'));
    await conversation.send('Where do we stand?');
    await conversation.regenerate();
    const { tree } = conversation.getState();
    conversation.startOver();
    conversation.startOver();
    expect(conversation.getState().canUndoStartOver).to.equal(true);
    conversation.setDraft('Typed since');
    conversation.undoStartOver();
    expect(conversation.getState()).to.deep.include({ tree, conversationId, draft: 'Typed since' });
    expect(conversation.getState().canUndoStartOver).to.equal(false);
    expect(reopen().getState().tree).to.deep.equal(tree);
    await conversation.send('What is next?');
    expect(backend.requests.at(-1)?.body).to.include({ conversationId });
  });

  it('cannot be brought back once something new was asked, here or in another tab', async () => {
    const { backend, conversation, reopen } = harness;
    backend.answer(replies('Week 3.'), fails('INTERNAL'), replies('Pricing.'));
    await conversation.send('Where do we stand?');
    conversation.startOver();
    await conversation.send('What is next?');
    expect(conversation.getState().canUndoStartOver).to.equal(false);
    conversation.startOver();
    await reopen().send('And then?');
    conversation.takeIn();
    conversation.undoStartOver();
    expect(conversation.getState().turns.map(({ question }) => question)).to.deep.equal(['And then?']);
  });

  it('stops the reply that runs, and brings it back as far as it came', async () => {
    const { backend, conversation } = harness;
    const opened = backend.open();
    const sent = conversation.send('Where do we stand?');
    (await opened).write('We are');
    await until(conversation, shows('We are'));
    conversation.startOver();
    await sent;
    expect(conversation.getState().turns).to.deep.equal([]);
    conversation.undoStartOver();
    expect(conversation.getState().turns[0]).to.deep.include({ reply: 'We are', ending: { type: 'stopped' } });
  });

  it('takes the text of an edit along with the draft that was put aside for it', async () => {
    const { backend, conversation } = harness;
    backend.answer(replies('Week 3.'));
    await conversation.send('Where do we stand?');
    conversation.setDraft('And then?');
    conversation.edit();
    conversation.setDraft('Where are we?');
    conversation.startOver();
    const typed = { draft: 'And then?\n\nWhere are we?', setAside: null, editedId: null };
    expect(conversation.getState()).to.include(typed);
  });

  it('has nothing to bring back where nothing was said', () => {
    const { conversation } = harness;
    conversation.startOver();
    expect(conversation.getState().canUndoStartOver).to.equal(false);
    conversation.undoStartOver();
    expect(conversation.getState().turns).to.deep.equal([]);
  });
});
