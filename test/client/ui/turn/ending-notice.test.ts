import { mock } from 'node:test';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createElement } from 'react';
import { createConversation } from '../../../../client/chat/conversation.ts';
import { type ConversationState, stateOf } from '../../../../client/chat/conversation-state.ts';
import { emptyDraft } from '../../../../client/chat/draft.ts';
import { failureMidway } from '../../../../client/chat/outcome.ts';
import type { Ending, Turn } from '../../../../client/chat/turn.ts';
import { messages } from '../../../../client/language/messages/en.ts';
import { steadyNow } from '../../../../client/steady-now.ts';
import { advice } from '../../../../client/turns/problem.ts';
import { budgetSentences, type ErrorCode, errors } from '../../../../shared/errors.ts';
import { conversationPath, pages } from '../../../../shared/interface.ts';
import { record, turn } from '../../chat/turns.ts';
import { sessionOf } from '../../session/sessions.ts';
import { client, controlsIn, type PageOptions, renderedPage, textOf } from '../rendered-page.ts';

const { problem, limit, commands, persistenceHint } = messages;
const signedIn = sessionOf('avery');

type Options = PageOptions & {
  reply?: string;
  isContinuation?: true;
  mayBeTruncated?: boolean;
  /** The remaining wait that the service has requested. */
  cooldownSeconds?: number;
};

type Shown = {
  /** Whether screen readers announce it as an error. */
  isAlert: boolean;
  text: string;
  /** The buttons and links that help, in order. */
  offers: string[];
  disabled: string[];
  links: string[];
};

/** Returns what is shown after a turn with `ending`; null if nothing is. */
function shownAfter(ending: Ending, options: Options = {}): Shown | null {
  const { reply = '', isContinuation, mayBeTruncated = false, cooldownSeconds, ...page } = options;
  const asked: Turn = turn('Where do we stand?', reply, { ending, ...(isContinuation && { isContinuation }) });
  const conversation = createConversation({
    url: '/api/chat',
    mayBeTruncated: (text) => mayBeTruncated && text === reply,
  });
  const cooldownUntil = cooldownSeconds === undefined ? null : steadyNow() + cooldownSeconds * 1000;
  const state: ConversationState = {
    ...stateOf({ ...record(turn('Hello?', 'Hello.'), asked), draft: emptyDraft }),
    cooldownUntil,
  };
  const notice = createElement(client.EndingNotice, {
    conversation,
    state,
    onTryAgain: () => {},
  });
  const html = renderedPage(notice, page);
  if (html === '') return null;
  // The buttons in the details of a request copy its id.
  const controls = controlsIn(html.replace(/<details.*?<\/details>/s, ''));
  return {
    isAlert: html.includes('role="alert"'),
    text: textOf(html),
    offers: controls.map(({ name }) => name),
    disabled: controls.flatMap(({ name, isDisabled }) => (isDisabled ? [name] : [])),
    links: controls.flatMap(({ href }) => href ?? []),
  };
}

const startOf = (text: string) => new RegExp(`^${text.replaceAll('.', '\\.')}`);

const failed = (code: ErrorCode | undefined, sentence = 'A sentence of the service.', status = 500): Ending => ({
  type: 'failed',
  requestId: 'request-7',
  sentence,
  code,
  status,
});
const interrupted: Ending = { type: 'interrupted', requestId: 'request-7' };
const left: Ending = { type: 'left', requestId: 'request-7' };
const limited = failed('RATE_LIMITED', errors.RATE_LIMITED.sentence, 429);

describe('EndingNotice', () => {
  it('shows nothing after a complete reply and after a stop', () => {
    expect(shownAfter({ type: 'done' }, { reply: 'Week 3.' })).to.equal(null);
    expect(shownAfter({ type: 'stopped' }, { reply: 'Week' })).to.equal(null);
  });

  const offline = `${problem.unreachable} ${problem.checkConnection}`;
  for (const [what, ending, options, text, isAlert, offers] of [
    ['why there is no reply', interrupted, {}, offline, true, [commands.tryAgain]],
    ['why the reply is partial', interrupted, { reply: 'We are' }, problem.cut, true, []],
    ['that the page was left before the reply', left, {}, problem.pageLeftBeforeReply, false, [commands.tryAgain]],
    ['that the page was left during the reply', left, { reply: 'We are' }, problem.pageLeftDuringReply, false, []],
    ['why the reply is not continued', interrupted, { isContinuation: true }, offline, true, [commands.tryAgain]],
    ['why the end is missing', left, { isContinuation: true }, problem.pageLeftDuringReply, false, [commands.tryAgain]],
  ] as const satisfies [string, Ending, Options, string, boolean, readonly string[]][]) {
    it(`says ${what}: “${text}”, ${isAlert ? 'as an error' : 'but not as an error'}`, () => {
      const shown = shownAfter(ending, options);
      expect(shown?.text).to.match(startOf(`${text} Details`));
      expect(shown).to.deep.include({ isAlert, offers });
    });
  }

  it('says that a reply may have been cut at its maximum length', () => {
    const shown = shownAfter({ type: 'done' }, { reply: 'We are', mayBeTruncated: true });
    expect(shown?.text).to.include(problem.mayBeCut);
    expect(shown).to.deep.include({ isAlert: false, offers: [] });
  });

  for (const [code, name, offers] of [
    ['INVALID_JSON', 'badRequest', [problem.newConversation, problem.reload]],
    ['MISSING_MESSAGES', 'badRequest', [problem.newConversation, problem.reload]],
    ['LAST_MESSAGE_NOT_USER', 'badRequest', [problem.newConversation, problem.reload]],
    ['UNAUTHENTICATED', 'signedOut', [problem.signIn]],
    ['NOT_ONBOARDED', 'notOnboarded', [problem.onboarding]],
    ['RATE_LIMITED', 'limited', [commands.tryAgain]],
    ['UPSTREAM_OVERLOADED', 'modelBusy', [commands.tryAgain]],
    ['UPSTREAM_AUTH', 'modelMisconfigured', []],
    ['UPSTREAM_BAD_REQUEST', 'modelRefused', [problem.edit, problem.newConversation]],
    ['UPSTREAM_ERROR', 'modelFailed', [commands.tryAgain]],
    ['INTERNAL', 'serviceFailed', [commands.tryAgain]],
  ] as const satisfies [ErrorCode, string, readonly string[]][]) {
    it(`explains ${code}, and offers ${offers.length === 0 ? 'nothing' : `“${offers.join('” and “')}”`}`, () => {
      const shown = shownAfter(failed(code));
      const key = advice[name];
      expect(shown?.text).to.match(startOf(`${problem[name]}${key ? ` ${problem[key]}` : ''} Details`));
      expect(shown?.offers).to.deep.equal(offers);
    });
  }

  it('links to the sign-in, with live chat as the page to return to, and to onboarding', () => {
    expect(shownAfter(failed('UNAUTHENTICATED'))?.links).to.deep.equal(['/sign-in?returnTo=/chat']);
    expect(shownAfter(failed('NOT_ONBOARDED'))?.links).to.deep.equal([pages.onboarding]);
  });

  it('offers to sign in if the session ended during the reply, until the user has signed in', () => {
    const ended = failureMidway('UNAUTHENTICATED', 'request-7');
    for (const [session, offers] of [
      [undefined, [problem.signIn]],
      [signedIn, []],
    ] as const) {
      const shown = shownAfter(ended, { session, reply: 'We are' });
      expect(shown?.text).to.match(startOf(`${problem.sessionEnded} Details`));
      expect(shown?.offers).to.deep.equal(offers);
    }
  });

  for (const [code, title] of [
    ['UNAUTHENTICATED', problem.signedOut],
    ['NOT_ONBOARDED', problem.notOnboarded],
  ] as const) {
    it(`offers to try again after ${code} once the user has signed in and completed onboarding`, () => {
      const shown = shownAfter(failed(code), { session: signedIn });
      expect(shown?.text).to.match(startOf(`${title} ${problem.askNow} Details`));
      expect(shown?.offers).to.deep.equal([commands.tryAgain]);
    });
  }

  it('says that the question is stored if the session is invalid and the device can store it', () => {
    for (const [code, hasStorage, isSaid] of [
      ['UNAUTHENTICATED', false, false],
      ['UNAUTHENTICATED', true, true],
      ['NOT_ONBOARDED', true, false],
    ] as const)
      expect(shownAfter(failed(code), { hasStorage })?.text.includes(persistenceHint.typed)).to.equal(isSaid);
  });

  it('shows the request id, and the sentence of the service only for an error without a code', () => {
    const unknown = shownAfter(failed(undefined, 'Cross-origin requests are not allowed.', 403))?.text;
    expect(unknown).to.include('request-7').and.include('Cross-origin requests are not allowed.');
    const known = shownAfter(failed('UPSTREAM_ERROR'))?.text;
    expect(known).to.include('request-7').and.not.include('A sentence of the service.');
  });

  describe('while the service accepts no turn', () => {
    const wait = { cooldownSeconds: 90 };

    it('states after a complete reply when the user can ask again', () => {
      const shown = shownAfter({ type: 'done' }, { ...wait, path: pages.chat, reply: 'Week 3.' });
      expect(shown?.text).to.match(new RegExp(`^${limit.live} You can ask again in 1 min \\d\\d s *\\.$`));
      expect(shown).to.deep.include({ isAlert: false, offers: [] });
    });

    it('disables “Try again” for the refused question', () => {
      const shown = shownAfter(limited, { ...wait, path: conversationPath('4f7c2a0e-5f0e') });
      expect(shown?.text).to.include(limit.live);
      expect(shown).to.deep.include({ offers: [commands.tryAgain], disabled: [commands.tryAgain] });
    });

    it('still explains an ending that has another cause', () => {
      const shown = shownAfter(interrupted, wait);
      expect(shown?.text).to.include(problem.unreachable).and.not.include(limit.demo);
      expect(shown?.disabled).to.deep.equal([commands.tryAgain]);
    });

    for (const [session, offer, link] of [
      [undefined, limit.signIn, '/sign-in?returnTo=/chat'],
      [signedIn, limit.ownEngagement, pages.chat],
    ] as const) {
      it(`leads from the demo to live chat, ${session ? 'directly' : 'via sign-in'}`, () => {
        const shown = shownAfter(limited, { ...wait, session });
        expect(shown?.text).to.include(limit.demo);
        expect(shown?.offers).to.deep.equal([offer, commands.tryAgain]);
        expect(shown?.links).to.deep.equal([link]);
      });
    }

    for (const [owner, sentence] of Object.entries(budgetSentences)) {
      it(`says that the budget of the ${owner} is used up`, () => {
        const shown = shownAfter(failed('RATE_LIMITED', sentence, 429), { ...wait, path: pages.chat });
        expect(shown?.text).to.include(limit[`${owner as keyof typeof budgetSentences}Budget`]);
      });
    }

    for (const [seconds, when] of [
      [119.5, /in 2 min 00 s/],
      [3600, /at 1:00 PM/],
      [24 * 3600, /tomorrow at 12:00 PM/],
      [72 * 3600, /on Friday at 12:00 PM/],
    ] as const) {
      it(`says when the user can ask again in ${Math.round(seconds / 60)} minutes`, () => {
        // A date in the past leaves the clock that never goes back unchanged for other tests.
        const noon = new Date(2020, 10, 24, 12, 0, 30);
        mock.timers.enable({ apis: ['Date'], now: noon });
        const elapsed = performance.now();
        mock.method(performance, 'now', () => elapsed);
        const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
        const text = shownAfter(limited, { cooldownSeconds: seconds, timeZone })?.text;
        mock.reset();
        expect(text?.replace(/\s+/g, ' ')).to.match(when);
      });
    }
  });
});
