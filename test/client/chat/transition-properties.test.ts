import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  type ConversationState,
  nextTurn,
  type PendingTurn,
  stateOf,
  versionOf,
} from '../../../client/chat/conversation-state.ts';
import { findTurn, shownPath, treeOf, versionsShown } from '../../../client/chat/conversation-tree.ts';
import { emptyDraft } from '../../../client/chat/draft.ts';
import { type ConversationEvent, transition } from '../../../client/chat/transition.ts';
import { withKnownParents } from '../../../client/device/stored-transcript.ts';
import { isBlank } from '../../../shared/messages.ts';
import { anyTree, emptyTree } from './any-tree.ts';

/** Creates an event, which can depend on the turns and the draft of the state. `id` is unused so far. */
type Step = (state: ConversationState, id: string) => ConversationEvent;

const text = fc.constantFrom('', ' ', 'A?', 'B?', 'Something else');
const number = fc.nat({ max: 20 });
const step =
  (event: ConversationEvent): Step =>
  () =>
    event;

function turnAt({ tree }: ConversationState, index: number) {
  return tree.turns[index % Math.max(tree.turns.length, 1)];
}

function requested(pending: PendingTurn): ConversationEvent {
  return { type: 'turnRequested', pending, at: 0 };
}

const anyRequest = fc.tuple(fc.constantFrom('draft', 'edit', 'queue', 'action'), text).map(
  ([origin, other]): Step =>
    (state, id) => {
      const { draft, tree, turns } = state;
      const asked = (question: string) => ({ id, requestId: id, question, askedAt: 0 });
      const edited = findTurn(tree, draft.editedId);
      const last = turns.at(-1);
      if (origin === 'edit' && edited) return requested(versionOf(state, edited, asked(draft.text), 'edit'));
      if (origin === 'action' && last) return requested(versionOf(state, last, asked(last.question), 'action'));
      const [queued = other] = draft.queued;
      if (origin === 'queue') return requested(nextTurn(state, asked(queued), 'queue', true));
      return requested(nextTurn(state, asked(draft.text || other), 'draft'));
    },
);

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: anyRequest },
  { weight: 4, arbitrary: fc.constant(step({ type: 'turnStarted' })) },
  text.map((text) => step({ type: 'draftChanged', text })),
  number.map(
    (index): Step =>
      (state) => ({ type: 'editStarted', turnId: turnAt(state, index)?.id }),
  ),
  fc
    .constantFrom(
      ...(['editCancelled', 'lockUnavailable', 'turnRefused', 'turnStopped', 'pageLeft'] as const),
      ...(['replyElsewhereEnded', 'cleared'] as const),
    )
    .map((type) => step({ type })),
  text.map(
    (other): Step =>
      ({ draft }) => ({ type: 'questionQueued', question: draft.text || other }),
  ),
  fc.integer({ min: -3, max: 3 }).map((index) => step({ type: 'questionDequeued', index })),
  fc
    .constantFrom({ name: 'offline' as const }, { name: 'waiting' as const, attempt: 2 })
    .map((phase) => step({ type: 'phaseChanged', phase, at: 1 })),
  number.map((count) => step({ type: 'replyReceived', reply: `Reply ${count}`, at: 2 })),
  fc.constant(step({ type: 'conversationNamed', conversationId: 'c1' })),
  fc
    .constantFrom({ type: 'done' as const }, { type: 'interrupted' as const, requestId: 'r' })
    .map((ending) => step({ type: 'turnEnded', ending })),
  number.map((until) => step({ type: 'cooldownStarted', until })),
  fc.constant(
    (state: ConversationState): ConversationEvent => ({ type: 'cooldownEnded', until: state.cooldownUntil ?? 0 }),
  ),
  number.map(
    (index): Step =>
      (state) => ({ type: 'versionSelected', turnId: turnAt(state, index)?.id ?? '' }),
  ),
  anyTree.map((tree) => step({ type: 'merged', conversationId: undefined, tree })),
);

function expectConsistent(state: ConversationState): void {
  const { tree, turns, versions, phase, pending, timing, draft } = state;
  expect(treeOf(tree)).to.deep.equal(tree);
  expect(withKnownParents(tree.turns)).to.deep.equal(tree.turns);
  expect(turns).to.deep.equal(shownPath(tree));
  expect(versions).to.deep.equal(versionsShown(tree));
  expect(pending === null).to.equal(phase.name === 'idle');
  expect(timing === null).to.equal(phase.name === 'idle' || phase.name === 'offline');
  expect(draft.setAside === null).to.equal(draft.editedId === null);
  if (draft.editedId !== null) expect(findTurn(tree, draft.editedId)).to.not.equal(undefined);
  if (pending === null || phase.name === 'starting') return;
  expect(turns.at(-1)).to.include({ id: pending.turn.id, ending: null });
}

function expectNothingLost(before: ConversationState, after: ConversationState): void {
  const { draft, tree, cancelledEdit } = after;
  const questions = tree.turns.map(({ question }) => question);
  const texts = [draft.text, draft.setAside ?? '', ...draft.queued, cancelledEdit?.text ?? '', ...questions];
  const draftTexts = [before.draft.text, before.draft.setAside ?? '', ...before.draft.queued];
  const asked = before.tree.turns.map(({ question }) => question);
  for (const text of [...draftTexts, ...asked].filter((text) => !isBlank(text))) {
    expect(
      texts.some((other) => other.includes(text)),
      text,
    ).to.equal(true);
  }
  for (const { id, reply, ending } of before.tree.turns) {
    if (ending !== null && reply !== '') expect(findTurn(tree, id)?.reply).to.equal(reply);
  }
}

/** These events replace text by design. */
const replacing: readonly ConversationEvent['type'][] = ['draftChanged', 'cleared', 'merged'];

describe('transition', () => {
  it('keeps the state consistent and loses no text for any sequence of events', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), (steps) => {
        let state = stateOf({ conversationId: undefined, ...emptyTree, draft: emptyDraft });
        for (const [index, eventOf] of steps.entries()) {
          const event = eventOf(state, `new-${index}`);
          const after = transition(state, event);
          expectConsistent(after);
          if (!replacing.includes(event.type)) expectNothingLost(state, after);
          state = after;
        }
      }),
      { numRuns: 500 },
    );
  });
});
