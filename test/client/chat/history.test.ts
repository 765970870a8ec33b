import { expect } from 'chai';
import { describe, it } from 'mocha';
import { exceedsHistory, maxHistoryTurns, maxRequestBytes, requestMessages } from '../../../client/chat/history.ts';
import type { Turn } from '../../../client/chat/turn.ts';
import { bodyLimits } from '../../../shared/body-limits.ts';
import { maxMessages } from '../../../shared/chat-requests.ts';
import { routes } from '../../../shared/interface.ts';
import { turn } from './turns.ts';

const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const bytesOf = ({ question, reply }: Turn) =>
  jsonBytes([
    { role: 'user', content: question },
    { role: 'assistant', content: reply },
  ]);

describe('requestMessages', () => {
  const first = turn('One?', 'One.');
  const second = turn('Two?', 'Zwei € 🧭');
  const ample = maxRequestBytes(routes.liveChat);
  const contents = (turns: readonly Turn[], question: string, budget = ample) =>
    requestMessages(turns, question, budget).map(({ content }) => content);

  it('omits questions without a reply and keeps partial replies', () => {
    const unanswered = turn('Two?', '', { ending: { type: 'interrupted', requestId: 'two' } });
    const partial = turn('Three?', 'Thr', { ending: { type: 'stopped' } });
    const sent = ['One?', 'One.', 'Three?', 'Thr', 'Four?'];
    expect(contents([first, unanswered, partial], 'Four?')).to.deep.equal(sent);
  });

  it('omits turns with a blank question or a blank reply', () => {
    const blankReply = turn('Two?', '\n\n');
    const blankQuestion = turn(' \u001C', 'Three.');
    expect(contents([first, blankReply, blankQuestion], 'Four?')).to.deep.equal(['One?', 'One.', 'Four?']);
  });

  it('drops whole turns, oldest first, beyond the byte budget', () => {
    const questionBytes = jsonBytes([{ role: 'user', content: 'Three?' }]);
    const exactBudget = bytesOf(first) + bytesOf(second) + questionBytes;
    expect(contents([first, second], 'Three?', exactBudget)).to.have.length(5);
    expect(contents([first, second], 'Three?', exactBudget - 1)[0]).to.equal('Two?');
    expect(contents([first, second], 'Three?', bytesOf(second) + questionBytes - 1)).to.have.length(1);
  });

  it('does not count questions without a reply towards the budget', () => {
    const unanswered = turn('?'.repeat(500), '', { ending: { type: 'interrupted', requestId: 'two' } });
    const budget = bytesOf(first) + jsonBytes([{ role: 'user', content: 'Three?' }]);
    expect(contents([first, unanswered], 'Three?', budget)[0]).to.equal('One?');
    expect(exceedsHistory([first, unanswered], bytesOf(first))).to.equal(false);
  });

  for (const [url, limit] of [
    [routes.demoChat, bodyLimits.demoChat],
    [routes.liveChat, bodyLimits.liveChat],
    ['https://chat.example.com/advisory/api/chat?page=1', bodyLimits.liveChat],
    ['https://elsewhere.example.com/ask', bodyLimits.demoChat],
  ] as const) {
    it(`leaves room for the other fields, so that the body of a long conversation with ${url} stays just below its limit`, () => {
      const budget = maxRequestBytes(url);
      const question = 'Next?';
      const room = budget - jsonBytes([{ role: 'user', content: question }]) - bytesOf(turn('One?', ''));
      const unit = '€"\n';
      const count = Math.floor(room / (jsonBytes(unit) - 2));
      const messages = requestMessages([turn('One?', unit.repeat(count))], question, budget);
      expect(messages).to.have.length(3);
      const body = { messages, conversationId: 'ci7ya6b1mv79h6atdckfjynme' };
      expect(jsonBytes(body)).to.be.within(limit - 1024, limit);
    });
  }

  it('has a limit of turns that stays within the message limit of the service', () => {
    expect(2 * maxHistoryTurns + 1).to.be.at.most(maxMessages);
  });

  it('drops the oldest turn if exceedsHistory reports that there are too many', () => {
    const turns = Array.from({ length: maxHistoryTurns + 1 }, (_, index) => turn(`${index}?`, '.'));
    expect(contents(turns, 'Next?')).to.have.length(2 * maxHistoryTurns + 1);
    expect(contents(turns, 'Next?')[0]).to.equal('1?');
    expect(exceedsHistory(turns, ample)).to.equal(true);
    expect(exceedsHistory(turns.slice(1), ample)).to.equal(false);
  });

  it('drops all turns before one that does not fit', () => {
    const huge = turn('Huge?', 'x'.repeat(ample));
    expect(contents([first, huge, second], 'Three?')).to.deep.equal(['Two?', 'Zwei € 🧭', 'Three?']);
  });
});
