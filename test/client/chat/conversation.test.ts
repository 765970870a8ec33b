import { expect } from 'chai';
import { describe, it } from 'mocha';
import { canSend } from '../../../client/chat/conversation-state.ts';
import { answersWith, fails, replies } from '../../../client-package/testing/fake-backend.ts';
import { isIdle, isRetrying, until } from '../../../client-package/testing/until.ts';
import { formatError } from '../../../shared/errors.ts';
import { harnessPerTest, lastTurn, questionsOf, repliesOf, shows } from './conversation-harness.ts';
import { turn } from './turns.ts';

describe('A conversation', () => {
  const { backend, clock, conversation, open, reopen, stream, sentTexts } = harnessPerTest();

  it('goes from starting through waiting and streaming to a finished turn', async () => {
    const phases = ['idle'];
    conversation.subscribe(() => {
      const { name } = conversation.getState().phase;
      if (phases.at(-1) !== name) phases.push(name);
    });
    const opened = backend.open();
    const sent = conversation.send('Where do we stand?');
    const response = await opened;
    const [askedAt, since] = [clock.now(), clock.steadyNow()];
    await clock.advance(10_000);
    response.write('Week ');
    await until(conversation, shows('Week '));
    expect(conversation.getState().timing).to.deep.equal({ since, lastActivityAt: since + 10_000 });
    response.end('three.');
    await sent;
    expect(conversation.getState().timing).to.equal(null);
    expect(phases).to.deep.equal(['idle', 'starting', 'waiting', 'streaming', 'idle']);
    const ids = { id: 'turn-1', requestId: 'turn-1' };
    const asked = turn('Where do we stand?', 'Week three.', { ...ids, askedAt });
    expect(conversation.getState().turns).to.deep.equal([asked]);
  });

  it('sends one question at a time, and no blank questions', async () => {
    const opened = backend.open();
    const sent = conversation.send('Where do we stand?');
    await conversation.send('And then?');
    const response = await opened;
    expect(canSend(conversation.getState())).to.equal(false);
    response.end('Week 3.');
    await sent;
    await conversation.send(' \n');
    conversation.setDraft(' \n');
    expect(await conversation.send()).to.equal(null);
    expect(backend.requests).to.have.length(1);
  });

  it('requests no version, retry or continuation while a reply is running', async () => {
    const { sent } = await stream('Week');
    const { regenerate, tryAgain, continueReply } = conversation;
    expect(await Promise.all([regenerate(), tryAgain(), continueReply('Continue.')])).to.deep.equal([null, null, null]);
    expect(backend.requests).to.have.length(1);
    conversation.stop();
    expect(await sent).to.deep.equal({ type: 'stopped' });
  });

  it('keeps the partial reply of a lost connection as a version, and retries with the same request id until it is complete', async () => {
    const opened = backend.open('c123456789012345678901234');
    const sent = conversation.send('Where do we stand?');
    const response = await opened;
    response.write('We are');
    await until(conversation, shows('We are'));
    response.destroy();
    await sent;
    const ending = { type: 'interrupted', requestId: 'turn-1' };
    expect(lastTurn(conversation)).to.deep.include({ reply: 'We are', ending });

    backend.answer(replies('Week 3.'));
    await conversation.tryAgain();
    expect(repliesOf(conversation)).to.deep.equal(['Week 3.']);
    expect(conversation.getState().tree.turns.map(({ reply }) => reply)).to.deep.equal(['We are', 'Week 3.']);
    const body = {
      messages: [{ role: 'user', content: 'Where do we stand?' }],
      conversationId: 'c123456789012345678901234',
    };
    expect(backend.requests.at(-1)).to.deep.include({ requestId: 'turn-1', body });
    expect(await conversation.tryAgain()).to.equal(null);
    expect(backend.requests).to.have.length(2);
  });

  it('marks continuations, even after a reload or a retry, and edits the question that precedes them', async () => {
    const areContinuations = ({ getState } = conversation) =>
      getState().tree.turns.map(({ isContinuation = false }) => isContinuation);
    backend.answer(replies('Week'), replies(' 3.'), fails('INTERNAL'), replies(' And so on.'), replies('So.'));
    await conversation.send('Where do we stand?');
    conversation.edit();
    await conversation.continueReply('Go on.');
    expect(sentTexts()).to.deep.equal(['Where do we stand?', 'Week', 'Go on.']);
    expect(areContinuations()).to.deep.equal([false, true]);
    expect(areContinuations(reopen())).to.deep.equal([false, true]);
    conversation.cancelEdit();
    await conversation.continueReply('Go on.');
    await conversation.tryAgain();
    conversation.edit();
    expect(conversation.getState().draft.text).to.equal('Where do we stand?');
    await conversation.send('And so?');
    expect(areContinuations()).to.deep.equal([false, true, true, false]);
    expect(await conversation.continueReply(' ')).to.equal(null);
  });

  it('sends the draft if send() is used as an event handler', async () => {
    backend.answer(replies('Week 3.'));
    conversation.setDraft('Where do we stand?');
    const button = new EventTarget();
    const { promise, resolve } = Promise.withResolvers();
    const { send } = conversation;
    // @ts-expect-error JavaScript passes the event.
    button.addEventListener('click', (event) => resolve(send(event)));
    button.dispatchEvent(new Event('click'));
    await promise;
    expect(questionsOf(conversation)).to.deep.equal(['Where do we stand?']);
  });

  it('clears the draft even if the draft differs from the text that is sent', async () => {
    backend.answer(replies('Week 3.'));
    conversation.setDraft('  Where do we stand? ');
    await conversation.send('Where do we stand?');
    expect(conversation.getState().draft.text).to.equal('');
  });

  it('ends the edit even if the question is unchanged', async () => {
    backend.answer(replies('Week 3.'), replies('Week 4.'));
    await conversation.send('Where do we stand?');
    conversation.edit();
    await conversation.send();
    expect(conversation.getState().draft).to.deep.include({ text: '', setAside: null, editedId: null });
  });

  it('reports each attempt to onAttempt', async () => {
    const reports: object[] = [];
    const conversation = open({ onAttempt: (report) => reports.push(report) });
    backend.answer(fails('UPSTREAM_OVERLOADED'), replies('Week 3.'));
    const sent = conversation.send('Where do we stand?');
    while (conversation.getState().phase.name !== 'idle') await clock.advance(1000);
    await sent;
    expect(reports).to.have.length(2);
    const requestId = 'turn-1';
    expect(reports[0]).to.nested.include({ attempt: 1, requestId, 'outcome.code': 'UPSTREAM_OVERLOADED' });
    expect(reports[1]).to.deep.equal({ attempt: 2, requestId, outcome: { type: 'done' } });
  });

  it('sends nothing and keeps the draft if it is stopped before the request has been sent', async () => {
    conversation.setDraft('Where do we stand?');
    const sent = conversation.send('Where do we stand?');
    conversation.stop();
    expect(await sent).to.deep.equal({ type: 'stopped' });
    expect(conversation.getState()).to.deep.include({ turns: [], phase: { name: 'idle' } });
    expect(conversation.getState().draft.text).to.equal('Where do we stand?');
    expect(backend.requests).to.have.length(0);
  });

  const busy = formatError('UPSTREAM_OVERLOADED');
  for (const [title, answer, seconds] of [
    ['only at the end of the wait of a 429', fails('RATE_LIMITED', { retryAfterSeconds: 30 }), 30],
    ['at once during the wait of another error', answersWith(429, busy, { 'Retry-After': '30' }), 0],
  ] as const) {
    it(`allows the next question after a stop ${title}`, async () => {
      backend.answer(answer);
      const sent = conversation.send('Where do we stand?');
      const { phase } = await until(conversation, isRetrying);
      expect(phase.retryNow === null).to.equal(seconds > 0);
      conversation.stop();
      await sent;
      expect(canSend(conversation.getState())).to.equal(seconds === 0);
      await clock.advance(seconds * 1000);
      expect(canSend(conversation.getState())).to.equal(true);
    });
  }

  it('is interrupted after silenceSeconds, and stores no cause', async () => {
    const conversation = open({ silenceSeconds: 10 });
    const { sent } = await stream('We are', conversation);
    await clock.advance(9_999);
    expect(isIdle(conversation.getState())).to.equal(false);
    await clock.advance(1);
    expect((await sent)?.type).to.equal('interrupted');
    expect(lastTurn(conversation).ending).to.deep.equal({ type: 'interrupted', requestId: 'turn-1' });
  });
});
