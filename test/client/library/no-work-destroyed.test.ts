import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { createConversation } from '../../../client/chat/conversation.ts';
import type { Conversation } from '../../../client/chat/conversation-interface.ts';
import { treeOf } from '../../../client/chat/conversation-tree.ts';
import { withKnownParents } from '../../../client/device/stored-transcript.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';
import { until } from '../../../client-package/testing/until.ts';
import { createScriptedService, type TurnOutcome, turnOutcomes } from '../chat/scripted-service.ts';

const outcome = fc.constantFrom(...turnOutcomes);
const anyStep = fc.oneof(
  fc.record({ act: fc.constantFrom('ask', 'regenerate', 'tryAgain', 'edit'), outcome, at: fc.nat() }),
  fc.record({ act: fc.constant('show' as const), outcome, at: fc.nat() }),
);

async function finish(conversation: Conversation, outcome: TurnOutcome, turn: Promise<unknown>): Promise<void> {
  const stopAt = { stoppedEarly: 'waiting', stoppedLate: 'streaming' }[String(outcome)];
  if (stopAt !== undefined) {
    await Promise.race([turn, until(conversation, ({ phase }) => phase.name === stopAt)]);
    conversation.stop();
  }
  await turn;
}

function expectNothingLost({ getState }: Conversation, asked: Iterable<string>, replied: Iterable<string>): void {
  const { tree, draft } = getState();
  const questions = [...tree.turns.map(({ question }) => question), draft.text, draft.setAside ?? ''];
  for (const text of asked) expect(questions.some((question) => question.includes(text))).to.equal(true, text);
  expect(tree.turns.map(({ reply }) => reply)).to.include.members([...replied]);
}

describe('A conversation', () => {
  it('loses no question and no text of a reply in any sequence of asks, edits, stops, version switches and failures', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 8 }), async (steps) => {
        const service = createScriptedService();
        const { fetch } = service;
        const conversation = createConversation({ url: '/api/chat', fetch, clock: createFakeClock() });
        const asked = new Set<string>();
        const replied = new Set<string>();
        conversation.subscribe(() => {
          for (const { reply } of conversation.getState().turns) if (reply !== '') replied.add(reply);
        });

        for (const [index, { act, outcome, at }] of steps.entries()) {
          service.setOutcome(outcome);
          const { tree, turns } = conversation.getState();
          const { setAside } = conversation.getState().draft;
          const question = `Question ${index}?`;
          if (act === 'ask' || act === 'edit') {
            asked.add(question);
            if (act === 'edit' && setAside === null && turns.length > 0) {
              conversation.edit(turns[at % turns.length]?.id);
              conversation.setDraft(question);
            } else {
              // After a refused turn, the draft contains its question, and the user continues to type.
              conversation.setDraft(`${conversation.getState().draft.text}\n${question}`.trim());
            }
            await finish(conversation, outcome, conversation.send());
          }
          if (act === 'regenerate')
            await finish(conversation, outcome, conversation.regenerate(turns[at % turns.length]?.id));
          if (act === 'tryAgain') await finish(conversation, outcome, conversation.tryAgain());
          if (act === 'show') conversation.showVersion(tree.turns[at % tree.turns.length]?.id ?? '');

          expectNothingLost(conversation, asked, replied);
          const after = conversation.getState().tree;
          expect(treeOf(after)).to.deep.equal(after);
          expect(withKnownParents(after.turns)).to.deep.equal(after.turns);
          const followed = after.turns.filter(({ parentId }) => parentId !== null).map(({ parentId }) => parentId);
          expect(followed, 'turns that another one follows').not.to.include(after.shownId);
        }
      }),
    );
  });
});
