import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  type ConversationState,
  createPendingTurn,
  createPendingVersion,
  type PendingTurn,
  stateOf,
} from '../../../client/chat/conversation-state.ts';
import {
  type ConversationTree,
  findTurn,
  shownPath,
  treeOf,
  versionsShown,
} from '../../../client/chat/conversation-tree.ts';
import { type Draft, emptyDraft } from '../../../client/chat/draft.ts';
import { type ConversationEvent, transition } from '../../../client/chat/transition.ts';
import type { Turn } from '../../../client/chat/turn.ts';
import { withKnownParents } from '../../../client/device/stored-transcript.ts';
import { isBlank } from '../../../shared/messages.ts';
import { anyTree, emptyTree } from './any-tree.ts';
import { inARow, turn } from './turns.ts';

const at = 1000;

function idleWith(turns: readonly Turn[], draft: Partial<Draft> = {}): ConversationState {
  return stateOf({
    conversationId: undefined,
    turns: inARow(...turns),
    shownId: turns.at(-1)?.id ?? null,
    draft: { ...emptyDraft, ...draft },
  });
}

function afterEvents(state: ConversationState, ...events: ConversationEvent[]): ConversationState {
  return events.reduce(transition, state);
}

const asked = (question: string) => ({ id: 'new', requestId: 'new', question, askedAt: at });

const requested = (pending: PendingTurn): ConversationEvent => ({ type: 'turnRequested', pending, at });

const next = (state: ConversationState, question: string, origin: PendingTurn['origin'] = 'draft') =>
  requested(createPendingTurn(state, asked(question), origin));

const edited = (state: ConversationState, question: string) => {
  const [last] = state.turns.slice(-1);
  if (last === undefined) throw new Error('There is no turn to edit.');
  return requested(createPendingVersion(state, last, asked(question), 'edit'));
};

const started: ConversationEvent = { type: 'turnStarted' };
const refused: ConversationEvent = { type: 'turnRefused' };
const unavailable: ConversationEvent = { type: 'lockUnavailable' };
const typed = (text: string): ConversationEvent => ({ type: 'draftChanged', text });
const dequeued = (index: number): ConversationEvent => ({ type: 'questionDequeued', index });
const selected = (turnId: string): ConversationEvent => ({ type: 'versionSelected', turnId });
const edit = (turnId?: string): ConversationEvent => ({ type: 'editStarted', turnId });
const merged = (tree: ConversationTree): ConversationEvent => ({ type: 'merged', conversationId: undefined, tree });
const received = (reply: string): ConversationEvent => ({ type: 'replyReceived', reply, at: at + 1 });

const idle = idleWith([turn('Where?'), turn('And then?')], { queued: ['In the queue?'] });
const starting = afterEvents(idle, next(idle, 'New?'));
const running = afterEvents(starting, started);
const states = { idle, starting, running };

/** Creates an event, which can depend on the turns and the draft of the state. `id` is unused so far. */
type Step = (state: ConversationState, id: string) => ConversationEvent;

const text = fc.constantFrom('', ' ', 'A?', 'B?', 'Something else');
const number = fc.nat({ max: 20 });
const step = (event: ConversationEvent) => from(() => event);
const from = (create: Step) => create;

const turnAt = ({ tree }: ConversationState, index: number) => tree.turns[index % Math.max(tree.turns.length, 1)];

const anyRequest = fc.tuple(fc.constantFrom('draft', 'edit', 'queue', 'action'), text).map(
  ([origin, other]): Step =>
    (state, id) => {
      const { draft, tree, turns } = state;
      const asked = (question: string) => ({ id, requestId: id, question, askedAt: 0 });
      const edited = findTurn(tree, draft.editedId);
      const last = turns.at(-1);
      if (origin === 'edit' && edited) return requested(createPendingVersion(state, edited, asked(draft.text), 'edit'));
      if (origin === 'action' && last)
        return requested(createPendingVersion(state, last, asked(last.question), 'action'));
      const [queued = other] = draft.queued;
      if (origin === 'queue') return requested(createPendingTurn(state, asked(queued), 'queue', true));
      return requested(createPendingTurn(state, asked(draft.text || other), 'draft'));
    },
);

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: anyRequest },
  { weight: 4, arbitrary: fc.constant(step({ type: 'turnStarted' })) },
  text.map((text) => step({ type: 'draftChanged', text })),
  number.map((index) => from((state) => ({ type: 'editStarted', turnId: turnAt(state, index)?.id }))),
  fc
    .constantFrom(
      ...(['editCancelled', 'lockUnavailable', 'turnRefused', 'turnStopped', 'pageLeft'] as const),
      ...(['replyElsewhereEnded', 'cleared'] as const),
    )
    .map((type) => step({ type })),
  text.map((other) => from(({ draft }) => ({ type: 'questionQueued', question: draft.text || other }))),
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
  fc.constant(from(({ cooldownUntil }) => ({ type: 'cooldownEnded', until: cooldownUntil ?? 0 }))),
  number.map((index) => from((state) => ({ type: 'versionSelected', turnId: turnAt(state, index)?.id ?? '' }))),
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
  const everywhere = ['idle', 'starting', 'running'] as const;

  /** For each event type, an event and the names of the `states` that it changes. */
  const rows: { [Type in ConversationEvent['type']]: [ConversationEvent & { type: Type }, readonly string[]] } = {
    draftChanged: [{ type: 'draftChanged', text: 'W' }, everywhere],
    editStarted: [{ type: 'editStarted', turnId: undefined }, ['idle']],
    editCancelled: [{ type: 'editCancelled' }, []],
    questionQueued: [{ type: 'questionQueued', question: 'Next?' }, everywhere],
    questionDequeued: [{ type: 'questionDequeued', index: -1 }, everywhere],
    queuedQuestionRemoved: [{ type: 'queuedQuestionRemoved', index: 0 }, everywhere],
    turnRequested: [
      { type: 'turnRequested', pending: createPendingTurn(idle, asked('Other?'), 'draft'), at },
      ['idle'],
    ],
    lockUnavailable: [{ type: 'lockUnavailable' }, ['starting']],
    turnStarted: [{ type: 'turnStarted' }, ['starting']],
    phaseChanged: [{ type: 'phaseChanged', phase: { name: 'waiting', attempt: 2 }, at }, ['running']],
    replyReceived: [{ type: 'replyReceived', reply: 'Week', at }, ['running']],
    conversationNamed: [{ type: 'conversationNamed', conversationId: 'c1' }, ['running']],
    turnEnded: [{ type: 'turnEnded', ending: { type: 'done' } }, ['running']],
    turnRefused: [{ type: 'turnRefused' }, ['running']],
    turnStopped: [{ type: 'turnStopped' }, ['starting', 'running']],
    pageLeft: [{ type: 'pageLeft' }, ['starting', 'running']],
    cooldownStarted: [{ type: 'cooldownStarted', until: at }, everywhere],
    cooldownEnded: [{ type: 'cooldownEnded', until: at }, []],
    versionSelected: [{ type: 'versionSelected', turnId: 'Where?' }, ['idle']],
    merged: [{ type: 'merged', conversationId: undefined, tree: idle.tree }, ['idle']],
    replyElsewhereEnded: [{ type: 'replyElsewhereEnded' }, []],
    cleared: [{ type: 'cleared' }, everywhere],
  };
  for (const [type, [event, changed]] of Object.entries(rows)) {
    it(
      changed.length === 0
        ? `ignores ${type} while idle, starting or running`
        : `applies ${type} only while ${changed.join(' or ')}`,
      () => {
        const names = everywhere.filter((name) => transition(states[name], event) !== states[name]);
        expect(names).to.deep.equal(changed);
      },
    );
  }

  const asking = idleWith([], { text: 'New?' });
  const editing = idleWith([turn('Where?')], { text: 'Where now?', setAside: 'So?', editedId: 'Where?' });
  const both = inARow(turn('Where?'), turn('And then?'));

  it('keeps text that is typed after a question and before a reply elsewhere is noticed', () => {
    const draft = { ...emptyDraft, text: 'Typed since', queued: ['New?'] };
    const state = afterEvents(asking, next(asking, 'New?'), typed('Typed since'), unavailable);
    expect(state).to.deep.include({ waitsForOtherTab: true, draft });
  });

  it('does not wait for a reply elsewhere while its own turn is running', () => {
    const waiting = afterEvents(asking, next(asking, 'New?'), unavailable, { type: 'questionQueued', question: 'So?' });
    const state = afterEvents(waiting, next(waiting, 'New?', 'queue'), started);
    expect(state).to.deep.include({ waitsForOtherTab: false, phase: { name: 'waiting', attempt: 1 } });
  });

  it('does not measure the waiting time while the browser is offline', () => {
    const phase = { name: 'offline' } as const;
    expect(afterEvents(running, { type: 'phaseChanged', phase, at })).to.deep.include({ phase, timing: null });
  });

  it('ends a stopped turn with the text so far', () => {
    const ended = { ...starting.pending?.turn, reply: 'Week', ending: { type: 'stopped' } };
    const state = afterEvents(running, received('Week'), { type: 'turnStopped' });
    expect(state).to.deep.include({ turns: [...idle.turns, ended], timing: null });
  });

  it('puts a refused question before the text typed since', () => {
    const asked = idleWith([turn('Where?')], { text: 'New?' });
    const draft = { ...emptyDraft, text: 'New?\n\nTyped since', wasRefused: true };
    const state = afterEvents(asked, next(asked, 'New?'), started, typed('Typed since'), refused);
    expect(state).to.deep.include({ turns: [turn('Where?')], draft });
  });

  it('resumes the edit of a refused question, and sets the other text aside again', () => {
    const state = afterEvents(editing, edited(editing, 'Where now?'), started, refused);
    expect(state).to.deep.include({ turns: [turn('Where?')], draft: { ...editing.draft, wasRefused: true } });
  });

  it('shows the version again that was shown before a refused edit in another version', () => {
    const other = turn('And then?', 'Week 3.', { parentId: 'Where?' });
    const draft = { ...emptyDraft, text: 'What then?', setAside: '', editedId: 'And then?' };
    const turns = [turn('Where?'), other, turn('There?')];
    const state = stateOf({ conversationId: undefined, turns, shownId: 'There?', draft });
    const edit = requested(createPendingVersion(state, other, asked('What then?'), 'edit'));
    expect(afterEvents(state, edit, started, refused)).to.deep.include({ turns: [turn('There?')] });
  });

  it('restores a refused question that was answered earlier in the conversation', () => {
    const draft = { ...idle.draft, text: 'Where?', wasRefused: true };
    const state = afterEvents(idle, next(idle, 'Where?'), started, refused);
    expect(state).to.deep.include({ turns: idle.turns, draft });
  });

  it('keeps the draft marked as refused when its text changes, but not once it has been cleared', () => {
    const state = idleWith([], { text: 'New?', wasRefused: true });
    expect(afterEvents(state, typed('New')).draft).to.deep.equal({ ...emptyDraft, text: 'New', wasRefused: true });
    expect(afterEvents(state, typed(''), typed('Other')).draft).to.deep.equal({ ...emptyDraft, text: 'Other' });
  });

  it('no longer marks the draft as refused while a question is edited', () => {
    const { draft } = afterEvents(idleWith([turn('Where?')], { text: 'New?', wasRefused: true }), edit('Where?'));
    expect(draft).to.deep.equal({ ...emptyDraft, text: 'Where?', setAside: 'New?', editedId: 'Where?' });
  });

  it('leaves the draft unchanged if the refused question requested a continuation', () => {
    const state = idleWith([turn('Where?')], { text: 'So?' });
    const continuation = createPendingTurn(state, { ...asked('Continue.'), isContinuation: true }, 'action');
    const { turns, draft } = afterEvents(state, requested(continuation), started, refused);
    expect({ turns, draft }).to.deep.equal({ turns: [turn('Where?')], draft: { ...emptyDraft, text: 'So?' } });
  });

  it('discards a queued question, even while another question is being edited', () => {
    const state = idleWith([turn('Where?')], { ...editing.draft, queued: ['One?', 'Two?'] });
    const { draft } = afterEvents(state, { type: 'queuedQuestionRemoved', index: 0 });
    expect(draft).to.deep.equal({ ...editing.draft, queued: ['Two?'] });
  });

  for (const [what, draft, index, expected] of [
    [
      'before the draft text, and leaves the others queued',
      { text: 'So?', queued: ['One?', 'Two?'] },
      0,
      { text: 'One?\n\nSo?', queued: ['Two?'] },
    ],
    [
      'before the text that is set aside during an edit',
      { ...editing.draft, queued: ['One?'] },
      -1,
      { ...editing.draft, setAside: 'One?\n\nSo?' },
    ],
    ['nowhere if it is not in the queue', { text: 'So?', queued: ['One?'] }, 1, { text: 'So?', queued: ['One?'] }],
  ] as const) {
    it(`puts a question that is taken back ${what}`, () => {
      const state = afterEvents(idleWith([turn('Where?')], draft), dequeued(index));
      expect(state.draft).to.deep.equal({ ...emptyDraft, ...expected });
    });
  }

  it('resumes a cancelled edit with the same rewording', () => {
    const state = afterEvents(editing, { type: 'editCancelled' }, edit('Where?'));
    expect(state).to.deep.include({ draft: editing.draft, cancelledEdit: null });
  });

  it('starts an edit with the original question if the text of the cancelled edit was blank', () => {
    const { draft } = afterEvents(editing, typed(' '), { type: 'editCancelled' }, edit());
    expect(draft).to.deep.equal({ ...editing.draft, text: 'Where?' });
  });

  it('keeps the text set aside when an edit is started twice', () => {
    expect(afterEvents(editing, edit('Where?'))).to.deep.equal(editing);
  });

  it('returns a queued question to the draft if a version is shown that ends with the same question but starts differently', () => {
    const turns = [...both, ...inARow(turn('W?'), turn('And then?', '', { id: 'other' }))];
    const draft = { ...emptyDraft, queued: ['So?'] };
    const state = stateOf({ conversationId: undefined, turns, shownId: 'And then?', draft });
    expect(afterEvents(state, selected('other')).draft).to.deep.equal({ ...emptyDraft, text: 'So?' });
  });

  it('does not end a wait when an earlier wait would have ended', () => {
    const waits = [1, 2].map((until): ConversationEvent => ({ type: 'cooldownStarted', until }));
    expect(afterEvents(running, ...waits, { type: 'cooldownEnded', until: 1 })).to.include({ cooldownUntil: 2 });
  });

  it('does not show the version that another tab shows', () => {
    const elsewhere = merged({ turns: [turn('Where?'), turn('W?')], shownId: 'W?' });
    const state = afterEvents(idleWith([turn('Where?')]), elsewhere);
    expect(state.turns).to.deep.equal([turn('Where?')]);
  });

  for (const [title, shown, earlierShownIds] of [
    ['only the paths that this tab has shown', [turn('Where?')], []],
    ['the paths that another tab has shown if this tab has shown none', [], ['W?']],
  ] as const) {
    it(`remembers ${title}`, () => {
      const tree = { turns: [...both, turn('W?')], shownId: 'And then?' };
      const state = afterEvents(idleWith(shown), merged({ ...tree, earlierShownIds: ['W?'] }));
      expect(state).to.deep.include({ turns: both, tree: { ...tree, earlierShownIds } });
    });
  }

  it('shows the turns of another tab if that tab has removed the last turn shown here', () => {
    const { turns } = afterEvents(idle, merged({ turns: [turn('Where?')], shownId: 'Where?' }));
    expect(turns).to.deep.equal([turn('Where?')]);
  });

  it('turns the edit of a question that another tab has deleted into a new question', () => {
    const state = afterEvents(editing, merged({ turns: [], shownId: null }));
    expect(state).to.deep.include({ turns: [], draft: { ...emptyDraft, text: 'So?\n\nWhere now?' } });
  });

  it('ends only the turn that another tab has abandoned', () => {
    const elsewhere = idleWith([turn('Where?'), turn('There?', 'Wee', { ending: null })]);
    const { turns } = afterEvents(elsewhere, { type: 'replyElsewhereEnded' });
    const left = { type: 'left', requestId: 'There?' };
    expect(turns.map(({ ending }) => ending)).to.deep.equal([{ type: 'done' }, left]);
  });

  it('does not show a version whose reply is running in another tab', () => {
    const turns = [turn('Where?'), turn('Where to?', 'Wee', { ending: null })];
    const state = stateOf({ conversationId: undefined, turns, shownId: 'Where?', draft: emptyDraft });
    expect(afterEvents(state, selected('Where to?')).turns).to.deep.equal([turn('Where?')]);
  });

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
