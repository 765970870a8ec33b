import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createElement } from 'react';
import { createConversation } from '../../../client/chat/conversation.ts';
import { type ConversationState, type Phase, stateOf } from '../../../client/chat/conversation-state.ts';
import { emptyDraft } from '../../../client/chat/draft.ts';
import { maxRequestBytes } from '../../../client/chat/history.ts';
import { failureMidway } from '../../../client/chat/outcome.ts';
import type { Retrying } from '../../../client/chat/send-turn.ts';
import type { Ending, Turn } from '../../../client/chat/turn.ts';
import { messages } from '../../../client/language/messages/en.ts';
import { steadyNow } from '../../../client/steady-now.ts';
import type { ErrorCode, RetriedCode } from '../../../shared/errors.ts';
import { routes } from '../../../shared/interface.ts';
import { inARow, record, turn } from '../chat/turns.ts';
import { client, controlsIn, renderedPage, textOf } from './rendered-page.ts';

const { waiting, retrying, composer, commands, problem, conversation: words, versions, announcements } = messages;

type Props = Partial<Parameters<typeof client.ConversationView>[0]>;

function htmlOf(turns: readonly Turn[], changes: Partial<ConversationState> = {}, props: Props = {}): string {
  const state: ConversationState = { ...stateOf({ ...record(...turns), draft: emptyDraft }), ...changes };
  const action = () => {};
  const View = () =>
    client.ConversationView({
      conversation: { ...createConversation({ url: '/api/chat' }), getState: () => state },
      actions: { send: action, continueReply: action, sendQueued: action, regenerate: action, tryAgain: action },
      footnote: 'The footnote.',
      children: 'The introduction.',
      ...props,
    });
  return renderedPage(createElement(View));
}

/** Returns the text of the part of `html` whose element has the class `name`. */
function textIn(html: string, name: string): string | undefined {
  const [, tag = '', rest = ''] = new RegExp(`<(\\w+) class="${name}[ "][^>]*>(.*)$`, 's').exec(html) ?? [];
  return tag === '' ? undefined : textOf(rest.slice(0, rest.indexOf(`</${tag}>`)));
}

const namesIn = (html: string) => controlsIn(html).map(({ name }) => name);
const isDisabled = (html: string, name: string) =>
  controlsIn(html).find((control) => control.name === name)?.isDisabled;

const running = turn('Where do we stand?', '', { ending: null });
const answered = turn('Where do we stand?', 'In week 3.');
const waitingFor = (attempt: number): Phase => ({ name: 'waiting', attempt });
const streaming: Phase = { name: 'streaming' };
const starting: Phase = { name: 'starting' };

describe('ConversationView', () => {
  it('has an introduction while it has no turns, a heading once it has turns, and always a footnote', () => {
    const empty = textOf(htmlOf([]));
    expect(empty).to.include('The introduction.').and.include('The footnote.');
    const html = htmlOf([answered]);
    expect(html).to.include(`<h1 class="visually-hidden">${words.title}</h1>`);
    expect(textOf(html)).to.include('The footnote.').and.not.include('The introduction.');
  });

  describe('during a turn', () => {
    const ago = (seconds: number, sinceActivity = seconds) => {
      // The client has a clock of its own, which can be a millisecond behind.
      const now = steadyNow() - 5;
      return { timing: { since: now - seconds * 1000, lastActivityAt: now - sinceActivity * 1000 } };
    };

    const again = (text: string) => text.replace('{attempt, number}', '3');
    for (const [title, phase, early, late] of [
      ['before the request is sent', starting, waiting.sending, waiting.sending],
      ['after the request is sent', waitingFor(1), waiting.thinking, waiting.thinkingFor],
      ['during another attempt', waitingFor(3), again(waiting.tryingAgain), again(waiting.tryingAgainFor)],
      ['while the reply is streamed', streaming, waiting.writing, waiting.writingFor],
    ] as const) {
      it(`says “${early}” ${title}, and “${late}” after ten seconds`, () => {
        const said = (seconds: number) => textIn(htmlOf([running], { phase, ...ago(seconds) }), 'thinking');
        expect(said(0)).to.equal(early);
        // Time passes while the test runs.
        expect(said(10)?.replace(/1\d s$/, '10 s')).to.equal(late.replace('{time}', '10 s'));
      });
    }

    it('says that the reply takes longer than usual after a delay', () => {
      const delay = (phase: Phase, seconds: number) =>
        textIn(htmlOf([running], { phase, ...ago(60, seconds) }), 'waiting-long');
      expect(delay(waitingFor(1), 10)).to.equal('');
      expect(delay(waitingFor(1), 20)).to.equal(waiting.slowReply);
      expect(delay(streaming, 20)).to.equal(waiting.slowRest);
    });

    it('offers to stop the reply, and to send the draft next once the request has been sent', () => {
      const draft = { ...emptyDraft, text: 'And then?' };
      const offers = (changes: Partial<ConversationState>) =>
        namesIn(htmlOf([running], changes)).filter((name) =>
          [composer.stop, composer.send, composer.sendNext].includes(name as never),
        );
      expect(offers({ phase: streaming })).to.deep.equal([composer.stop]);
      expect(offers({ phase: streaming, draft })).to.have.members([composer.stop, composer.sendNext]);
      expect(offers({ phase: starting, draft })).to.deep.equal([composer.stop]);
      const editing = { ...draft, setAside: '', editedId: running.id };
      expect(offers({ phase: streaming, draft: editing })).to.deep.equal([composer.stop]);
    });

    it('offers no actions for the reply, even one that another tab receives, and is marked as busy', () => {
      const streamed = htmlOf([running], { phase: streaming });
      const elsewhere = htmlOf([running]);
      for (const html of [streamed, elsewhere]) expect(namesIn(html)).to.not.include(commands.tryAgain);
      expect(textIn(elsewhere, 'thinking')).to.equal(waiting.elsewhere);
      expect(streamed).to.include('aria-busy="true"');
      expect(htmlOf([answered])).to.include('aria-busy="false"');
    });

    it('says that the question is waiting for the network, and offers to edit it', () => {
      const html = htmlOf([running], { phase: { name: 'offline' } });
      expect(textOf(html)).to.include(waiting.offline);
      expect(namesIn(html)).to.include(composer.cancelAndEdit);
    });
  });

  describe('before another attempt', () => {
    const phaseOf = (code: RetriedCode | 'INTERNAL', changes: Partial<Retrying> = {}): Phase => ({
      name: 'retrying',
      attempt: 2,
      attempts: 5,
      code,
      sentence: 'A sentence of the service.',
      waitSeconds: 90,
      resumesAt: steadyNow() + 90_000,
      retryNow: () => {},
      ...changes,
    });

    for (const [code, reason] of [
      ['RATE_LIMITED', retrying.limited],
      ['UPSTREAM_OVERLOADED', retrying.busy],
      ['UPSTREAM_ERROR', retrying.failed],
      ['INTERNAL', 'A sentence of the service.'],
    ] as const) {
      it(`gives the reason and the remaining time after ${code}: “${reason}”`, () => {
        const html = htmlOf([running], { phase: phaseOf(code) });
        expect(textIn(html, 'notice')).to.match(/Trying again in 1 min \d\d s \(attempt 2 of 5\)/);
        expect(textIn(html, 'notice')?.startsWith(reason)).to.equal(true);
        const announced = announcements.sentAgain.replace('{reason}', reason).replace('{seconds, number}', '90');
        expect(textOf(html)).to.include(announced);
      });
    }

    it('offers to skip the wait, unless the service requires it', () => {
      expect(namesIn(htmlOf([running], { phase: phaseOf('UPSTREAM_ERROR') }))).to.include.members([
        commands.cancel,
        retrying.now,
      ]);
      const required = namesIn(htmlOf([running], { phase: phaseOf('RATE_LIMITED', { retryNow: null }) }));
      expect(required).to.include(commands.cancel).and.not.include(retrying.now);
    });
  });

  describe('after a turn', () => {
    const endedWith = (ending: Ending, reply: string, changes: Partial<ConversationState> = {}) =>
      namesIn(htmlOf([turn('Where do we stand?', reply, { ending })], changes)).filter((name) =>
        [commands.tryAgain, commands.continueReply, messages.copying.reply].includes(name as never),
      );

    it('offers to continue an incomplete reply, to copy the reply and to try again, in this order', () => {
      const all = [commands.continueReply, messages.copying.reply, commands.tryAgain];
      const failed = (code: ErrorCode) => failureMidway(code, 'request-7');
      expect(endedWith({ type: 'done' }, 'In week 3.')).to.deep.equal(all.slice(1));
      expect(endedWith({ type: 'stopped' }, 'In')).to.deep.equal(all);
      expect(endedWith({ type: 'stopped' }, '')).to.deep.equal([commands.tryAgain]);
      expect(endedWith({ type: 'interrupted', requestId: 'request-7' }, 'In')).to.deep.equal(all);
      expect(endedWith({ type: 'interrupted', requestId: 'request-7' }, '')).to.deep.equal([commands.tryAgain]);
      expect(endedWith(failed('UNAUTHENTICATED'), 'In')).to.deep.equal(all);
      expect(endedWith(failed('UPSTREAM_BAD_REQUEST'), 'In')).to.deep.equal([messages.copying.reply]);
    });

    it('hides “Try again” while a question is edited, and disables it during a wait', () => {
      const draft = { ...emptyDraft, setAside: '', editedId: answered.id };
      expect(endedWith({ type: 'done' }, 'In week 3.', { draft })).to.deep.equal([messages.copying.reply]);
      const html = htmlOf([answered, turn('And now?')], { cooldownUntil: steadyNow() + 60_000 });
      const buttons = controlsIn(html).filter(({ name }) => name === commands.tryAgain);
      expect(buttons.map((button) => button.isDisabled)).to.deep.equal([true, true]);
    });

    it('says that a reply is empty or was stopped, and why an earlier one is missing or incomplete', () => {
      expect(textOf(htmlOf([turn('Where do we stand?', '')]))).to.include(words.emptyReply);
      const stopped = htmlOf([turn('Where do we stand?', 'In', { ending: { type: 'stopped' } })]);
      expect(textIn(stopped, 'actions turn-actions')).to.match(new RegExp(`${problem.stopped}$`));
      const requestId = 'request-7';
      for (const [ending, reply, reason] of [
        [{ type: 'stopped' }, 'In', problem.stopped],
        [{ type: 'interrupted', requestId }, 'In', problem.cut],
        [{ type: 'interrupted', requestId }, '', problem.unreachable],
        [{ type: 'left', requestId }, 'In', problem.pageLeftDuringReply],
        [failureMidway('UNAUTHENTICATED', requestId), 'In', problem.sessionEnded],
        [failureMidway('UPSTREAM_OVERLOADED', requestId), '', problem.modelBusy],
      ] as const satisfies [Ending, string, string][]) {
        const html = htmlOf([turn('Where do we stand?', reply, { ending }), turn('And now?')]);
        expect(textIn(html, 'actions turn-actions turn-actions-earlier')).to.match(new RegExp(`${reason}$`));
      }
      const complete = textIn(htmlOf([answered, turn('And now?')]), 'actions turn-actions turn-actions-earlier');
      expect(complete).to.equal(`${messages.copying.reply} ${commands.tryAgain}`);
    });

    it('includes the text of every turn, even if its Markdown is rendered later', () => {
      const turns = Array.from({ length: 8 }, (_, index) => turn(`Question ${index}?`, `Reply ${index}.`));
      const text = textOf(htmlOf(turns));
      for (const { question, reply } of turns.slice(0, 5)) expect(text).to.include(question).and.include(reply);
      for (const { question } of turns.slice(5)) expect(text).to.include(question);
      expect(text).to.not.include(words.emptyReply);
    });

    it('offers to show the later turns of another version', () => {
      const turns = [...inARow(turn('One?'), turn('Two?')), turn('One?', 'Other.', { id: 'other' })];
      const tree = { turns, shownId: 'other', earlierShownIds: ['Two?'] };
      const state = stateOf({ conversationId: undefined, ...tree, draft: emptyDraft });
      const html = htmlOf([], { ...state });
      expect(textOf(html)).to.include('1 later turn belongs to version 1.');
      expect(isDisabled(html, versions.showLater)).to.equal(false);
      expect(isDisabled(htmlOf([], { ...state, phase: streaming }), versions.showLater)).to.equal(true);
    });

    it('says only once in an empty conversation that no question can be sent', () => {
      const text = textOf(htmlOf([], { cooldownUntil: steadyNow() + 60_000 }));
      expect(text.split(messages.limit.demo)).to.have.length(2);
    });

    it('says that the conversation is too long to be sent in full', () => {
      const long = [
        turn('Where?', 'x'.repeat(maxRequestBytes(routes.liveChat) - 200)),
        turn('And now?', 'y'.repeat(300)),
      ];
      expect(textOf(htmlOf(long))).to.include(words.tooLong);
      expect(textOf(htmlOf(long.slice(0, 1)))).to.not.include(words.tooLong);
    });
  });

  describe('with the message field', () => {
    it('enables the send button for a text that is not blank, except during a wait', () => {
      const sendsWith = (text: string, cooldownUntil: number | null = null) =>
        isDisabled(htmlOf([answered], { cooldownUntil, draft: { ...emptyDraft, text } }), composer.send) === false;
      expect([sendsWith(''), sendsWith('  \n'), sendsWith('And now?')]).to.deep.equal([false, false, true]);
      expect(sendsWith('And now?', steadyNow() + 60_000)).to.equal(false);
      const waits = htmlOf([answered], { cooldownUntil: steadyNow() + 90_000 });
      expect(textIn(waits, 'composer-wait')).to.match(/^You can send again in 1 min \d\d s$/);
    });

    it('says how many later turns will stay with the current version of an edited question', () => {
      const continuation = turn('Continue.', 'On.', { isContinuation: true });
      const turns = inARow(turn('One?'), turn('Two?'), turn('Three?'), continuation);
      const editing = (editedId: string) => textOf(htmlOf(turns, { draft: { ...emptyDraft, setAside: '', editedId } }));
      expect(editing('One?')).to.include('The 2 later turns stay');
      expect(editing('Two?')).to.include('The later turn stays');
      expect(editing('Three?')).to.include('The current version is kept.');
    });

    it('marks the question that is being edited', () => {
      const turns = inARow(turn('One?'), turn('Two?'));
      const html = htmlOf(turns, { draft: { ...emptyDraft, setAside: '', editedId: 'One?' } });
      const marked = Array.from(html.matchAll(/class="turn( turn-edited)?" data-turn="([^"]*)"/g));
      expect(marked.map(([, mark, id]) => [id, mark !== undefined])).to.deep.equal([
        ['One?', true],
        ['Two?', false],
      ]);
      expect(textOf(html)).to.include(versions.editing);
    });
  });

  describe('with queued questions', () => {
    const draft = { ...emptyDraft, queued: ['And then?', 'And last?'] };
    const reasonIn = (html: string) => textIn(html, 'composer-queued-reason');

    it('says what the questions are waiting for', () => {
      expect(reasonIn(htmlOf([running], { phase: streaming, draft }))).to.equal(composer.queued);
      expect(reasonIn(htmlOf([answered], { draft }))).to.equal(composer.queuedWaits);
      expect(reasonIn(htmlOf([running], { draft, waitsForOtherTab: true }))).to.equal(composer.queuedElsewhere);
      expect(reasonIn(htmlOf([running], { draft, waitsForOtherTab: true }, { waitReason: 'Plan' }))).to.equal('Plan');
    });

    it('offers to edit or remove each question, and to send the first one once no reply is running', () => {
      const named = (html: string) =>
        namesIn(html).filter((name) =>
          [composer.sendQueued, composer.cancelAndEdit, composer.unqueue].includes(name as never),
        );
      const each = [composer.cancelAndEdit, composer.unqueue];
      expect(named(htmlOf([running], { phase: streaming, draft }))).to.deep.equal([...each, ...each]);
      expect(named(htmlOf([running], { draft, waitsForOtherTab: true }))).to.deep.equal([...each, ...each]);
      const idle = htmlOf([answered], { draft });
      expect(named(idle)).to.deep.equal([composer.sendQueued, ...each, ...each]);
      expect(isDisabled(idle, composer.sendQueued)).to.equal(false);
      const waits = htmlOf([answered], { draft, cooldownUntil: steadyNow() + 60_000 });
      expect(isDisabled(waits, composer.sendQueued)).to.equal(true);
    });

    it('says that no more questions can be queued once the user types while ten are queued', () => {
      const textWith = (count: number, text: string) =>
        textOf(
          htmlOf([running], { phase: streaming, draft: { ...emptyDraft, queued: Array(count).fill('More?'), text } }),
        );
      expect(textWith(10, 'Eleventh?')).to.include(composer.queueFull);
      expect(textWith(10, ' ')).to.not.include(composer.queueFull);
      expect(textWith(9, 'Tenth?')).to.not.include(composer.queueFull);
    });
  });

  it('says that another reply is running, unless a queued question already says so', () => {
    const waits = { waitsForOtherTab: true };
    expect(textOf(htmlOf([answered], waits))).to.include(words.busyInOtherTab);
    const named = textOf(htmlOf([answered], waits, { busyNotice: 'The reply in Plan.' }));
    expect(named).to.include('The reply in Plan.').and.not.include(words.busyInOtherTab);
    const draft = { ...emptyDraft, queued: ['And then?'] };
    expect(textOf(htmlOf([answered], { ...waits, draft }))).to.not.include(words.busyInOtherTab);
    expect(textOf(htmlOf([answered]))).to.not.include(words.busyInOtherTab);
  });

  describe('with versions', () => {
    const versionsOf = (changes: Partial<ConversationState> = {}) => {
      const turns = [turn('One?', 'A.', { id: 'first' }), turn('One?', 'B.'), turn('1?', 'C.')];
      const state = stateOf({ conversationId: undefined, turns, shownId: 'One?', draft: emptyDraft });
      return htmlOf([], { ...state, ...changes });
    };

    it('numbers the versions of the question and of the reply, and offers the previous and next ones', () => {
      const text = textOf(versionsOf());
      expect(text).to.include('Question: version 1 of 2').and.include('Reply: version 2 of 2');
      const { questionPrevious, questionNext, replyPrevious, replyNext } = versions;
      const enabledIn = (html: string) =>
        [questionPrevious, questionNext, replyPrevious, replyNext].filter((name) => isDisabled(html, name) === false);
      expect(enabledIn(versionsOf())).to.deep.equal([questionNext, replyPrevious]);
      expect(enabledIn(versionsOf({ phase: streaming })), 'during a turn').to.deep.equal([]);
    });
  });
});
