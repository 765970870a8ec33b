import { expect } from 'chai';
import { describe, it } from 'mocha';
import { languages, languageTags } from '../../client/language/languages.ts';
import { messages as ar } from '../../client/language/messages/ar.ts';
import { messages as de } from '../../client/language/messages/de.ts';
import { messages as en } from '../../client/language/messages/en.ts';
import { messages as es } from '../../client/language/messages/es.ts';
import { messages as fr } from '../../client/language/messages/fr.ts';
import { messages as ja } from '../../client/language/messages/ja.ts';
import type { Messages } from '../../client/language/messages/shape.ts';
import { advice, type ProblemName, problemRemedies } from '../../client/turns/problem.ts';
import { turn } from '../client/chat/turns.ts';
import { visitDemoWithTurns } from './support/stored-conversations.ts';

const messages = { en, de, fr, es, ja, ar };
const failed = turn('Where do we stand?', '', { ending: { type: 'interrupted', requestId: '01JD-EXAMPLE' } });
const viewport = { width: 390, height: 844 };

/** What happened, and what helps. */
type Words = readonly [string, string];

function noticesIn({ problem, persistenceHint, limit, waiting, conversation, conversations, live }: Messages): Words[] {
  const names = Object.keys(problemRemedies) as ProblemName[];
  const until = limit.untilSoon.replace(/<.*>/, '12 min 30 s');
  return [
    ...names.map((name): Words => [problem[name], advice[name] ? problem[advice[name]] : '']),
    [problem.signedOut, persistenceHint.typed],
    [problem.unreachable, problem.reachableAgain],
    [problem.unreachable, problem.backOnline],
    [problem.mayBeCut, ''],
    ...([limit.demo, limit.live, limit.userBudget, limit.organizationBudget, limit.demoBudget] as const).map(
      (title): Words => [title, until],
    ),
    [waiting.offline, waiting.offlineAdvice],
    [conversation.busyInOtherTab, conversation.busyAdvice],
    [conversation.notFormatted, conversation.notFormattedAdvice],
    [conversations.full, conversations.fullAdvice],
    [conversations.notSaved, conversations.notSavedAdvice],
    [live.busyElsewhere, ''],
    [live.notSent, live.notSentAdvice],
  ];
}

describe('A notice on a phone', () => {
  it('says what happened and what helps in at most two lines, above its buttons, in every language', async () => {
    const page = await visitDemoWithTurns([failed], { viewport });
    const notice = page.getByRole('alert');
    await notice.waitFor();
    const isBelow = await notice.evaluate((element) => {
      const text = element.querySelector('p')?.getBoundingClientRect();
      const button = element.querySelector('button')?.getBoundingClientRect();
      return text !== undefined && button !== undefined && button.top >= text.bottom;
    });
    expect(isBelow).to.equal(true);

    for (const language of languageTags) {
      const notices = noticesIn(messages[language]);
      // The fonts of phones have about the widths of Arial.
      const tooLong = await notice.evaluate(
        (element, { language, direction, notices }) => {
          const { documentElement: page } = document;
          page.lang = language;
          page.dir = direction;
          page.style.setProperty('--sans', 'Arial, "Liberation Sans", sans-serif');
          const [text, title, what] = ['p', 'strong', '.notice-advice'].map((part) => element.querySelector(part));
          if (!text || !title || !what) throw new Error('A part of the notice is missing.');
          const lineHeight = Number.parseFloat(getComputedStyle(text).lineHeight);
          return notices.filter(([happened, helps]) => {
            title.textContent = happened;
            what.textContent = helps;
            return text.getBoundingClientRect().height > 2.5 * lineHeight;
          });
        },
        { language, direction: languages[language].direction, notices },
      );
      expect(notices, language).to.have.length.above(20);
      expect(tooLong, language).to.deep.equal([]);
    }
  });
});
