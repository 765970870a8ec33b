import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  type ConversationState,
  nextTurn,
  type PendingTurn,
  stateOf,
  versionOf,
} from '../../../client/chat/conversation-state.ts';
import { type Draft, emptyDraft } from '../../../client/chat/draft.ts';
import { type ConversationEvent, transition } from '../../../client/chat/transition.ts';
import type { Turn } from '../../../client/chat/turn.ts';
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

function asked(question: string) {
  return { id: 'new', requestId: 'new', question, askedAt: at };
}

function requested(pending: PendingTurn): ConversationEvent {
  return { type: 'turnRequested', pending, at };
}

const next = (state: ConversationState, question: string, origin: PendingTurn['origin'] = 'draft') =>
  requested(nextTurn(state, asked(question), origin));

const edited = (state: ConversationState, question: string) => {
  const [last] = state.turns.slice(-1);
  if (last === undefined) throw new Error('There is no turn to edit.');
  return requested(versionOf(state, last, asked(question), 'edit'));
};

const started: ConversationEvent = { type: 'turnStarted' };
const received = (reply: string): ConversationEvent => ({ type: 'replyReceived', reply, at: at + 1 });

const idle = idleWith([turn('Where?'), turn('And then?')], { queued: ['In the queue?'] });
const starting = afterEvents(idle, next(idle, 'New?'));
const running = afterEvents(starting, started);
const states = { idle, starting, running };

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
    turnRequested: [{ type: 'turnRequested', pending: nextTurn(idle, asked('Other?'), 'draft'), at }, ['idle']],
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

  const editing = idleWith([turn('Where?')], { text: 'Where now?', setAside: 'So?', editedId: 'Where?' });
  const busyElsewhere = afterEvents(idleWith([], { text: 'New?' }), next(idleWith([], { text: 'New?' }), 'New?'), {
    type: 'lockUnavailable',
  });
  const refusable = idleWith([turn('Where?')], { text: 'New?' });
  const runningVersion = turn('Where to?', 'Wee', { ending: null });
  const elsewhere = idleWith([turn('Where?'), turn('There?', 'Wee', { ending: null })]);
  const left = { type: 'left', requestId: 'There?' } as const;
  const both = inARow(turn('Where?'), turn('And then?'));
  const inOtherVersion = turn('And then?', 'Week 3.', { parentId: 'Where?' });
  const otherVersionShown = {
    conversationId: undefined,
    turns: [turn('Where?'), inOtherVersion, turn('There?')],
    shownId: 'There?',
    draft: { ...emptyDraft, text: 'What then?', setAside: '', editedId: 'And then?' },
  };

  const cases: [string, ConversationState, ConversationEvent[], object][] = [
    [
      'keeps text that is typed after a question and before a reply elsewhere is noticed',
      idleWith([], { text: 'New?' }),
      [
        next(idleWith([], { text: 'New?' }), 'New?'),
        { type: 'draftChanged', text: 'Typed since' },
        { type: 'lockUnavailable' },
      ],
      { waitsForOtherTab: true, draft: { ...emptyDraft, text: 'Typed since', queued: ['New?'] } },
    ],
    [
      'leaves an edited question in the message field while a reply is running elsewhere',
      editing,
      [edited(editing, 'Where now?'), { type: 'lockUnavailable' }],
      { waitsForOtherTab: true, pending: null, draft: editing.draft },
    ],
    [
      'does not wait for a reply elsewhere while its own turn is running',
      busyElsewhere,
      [{ type: 'questionQueued', question: 'More?' }, next(busyElsewhere, 'New?', 'queue'), started],
      { waitsForOtherTab: false, phase: { name: 'waiting', attempt: 1 } },
    ],
    [
      'does not measure the waiting time while the browser is offline',
      running,
      [{ type: 'phaseChanged', phase: { name: 'offline' }, at }],
      { phase: { name: 'offline' }, timing: null },
    ],
    [
      'ends a stopped turn with the text so far',
      running,
      [received('Week'), { type: 'turnStopped' }],
      {
        turns: [...idle.turns, { ...starting.pending?.turn, reply: 'Week', ending: { type: 'stopped' } }],
        timing: null,
      },
    ],
    [
      'puts a refused question before the text typed since',
      refusable,
      [next(refusable, 'New?'), started, { type: 'draftChanged', text: 'Typed since' }, { type: 'turnRefused' }],
      { turns: [turn('Where?')], draft: { ...emptyDraft, text: 'New?\n\nTyped since', wasRefused: true } },
    ],
    [
      'restores the first question of a conversation if it is refused',
      idleWith([]),
      [next(idleWith([]), 'New?'), started, { type: 'turnRefused' }],
      { turns: [], draft: { ...emptyDraft, text: 'New?', wasRefused: true } },
    ],
    [
      'resumes the edit of a refused question, and sets the other text aside again',
      editing,
      [edited(editing, 'Where now?'), started, { type: 'turnRefused' }],
      { turns: [turn('Where?')], draft: { ...editing.draft, wasRefused: true } },
    ],
    [
      'shows the version again that was shown before a refused edit in another version',
      stateOf(otherVersionShown),
      [
        requested(versionOf(stateOf(otherVersionShown), inOtherVersion, asked('What then?'), 'edit')),
        started,
        { type: 'turnRefused' },
      ],
      { turns: [turn('There?')] },
    ],
    [
      'restores a refused question that was answered earlier in the conversation',
      idle,
      [next(idle, 'Where?'), started, { type: 'turnRefused' }],
      { turns: idle.turns, draft: { ...idle.draft, text: 'Where?', wasRefused: true } },
    ],
    [
      'keeps the draft marked as refused when its text changes',
      idleWith([], { text: 'New?', wasRefused: true }),
      [{ type: 'draftChanged', text: 'New' }],
      { draft: { ...emptyDraft, text: 'New', wasRefused: true } },
    ],
    [
      'no longer marks the draft as refused while a question is edited',
      idleWith([turn('Where?')], { text: 'New?', wasRefused: true }),
      [{ type: 'editStarted', turnId: 'Where?' }],
      { draft: { ...emptyDraft, text: 'Where?', setAside: 'New?', editedId: 'Where?' } },
    ],
    [
      'no longer marks the draft as refused once it has been cleared',
      idleWith([], { text: 'New?', wasRefused: true }),
      [
        { type: 'draftChanged', text: '' },
        { type: 'draftChanged', text: 'Other' },
      ],
      { draft: { ...emptyDraft, text: 'Other' } },
    ],
    [
      'leaves the draft unchanged if the refused question requested a continuation',
      idleWith([turn('Where?')], { text: 'So?' }),
      [
        requested(nextTurn(idleWith([turn('Where?')]), { ...asked('Continue.'), isContinuation: true }, 'action')),
        started,
        { type: 'turnRefused' },
      ],
      { turns: [turn('Where?')], draft: { ...emptyDraft, text: 'So?' } },
    ],
    [
      'discards a queued question, even while another question is being edited',
      idleWith([turn('Where?')], { ...editing.draft, queued: ['One?', 'Two?'] }),
      [{ type: 'queuedQuestionRemoved', index: 0 }],
      { draft: { ...editing.draft, queued: ['Two?'] } },
    ],
    [
      'puts a question that is taken back before the draft text, and leaves the others queued',
      idleWith([], { text: 'So?', queued: ['One?', 'Two?'] }),
      [{ type: 'questionDequeued', index: 0 }],
      { draft: { ...emptyDraft, text: 'One?\n\nSo?', queued: ['Two?'] } },
    ],
    [
      'puts a question that is taken back before the text that is set aside during an edit',
      idleWith([turn('Where?')], { text: 'Where now?', setAside: 'So?', editedId: 'Where?', queued: ['One?'] }),
      [{ type: 'questionDequeued', index: -1 }],
      { draft: { ...editing.draft, setAside: 'One?\n\nSo?' } },
    ],
    [
      'takes back nothing if the queue has no such question',
      idleWith([], { text: 'So?', queued: ['One?'] }),
      [{ type: 'questionDequeued', index: 1 }],
      { draft: { ...emptyDraft, text: 'So?', queued: ['One?'] } },
    ],
    [
      'resumes a cancelled edit with the same rewording',
      editing,
      [{ type: 'editCancelled' }, { type: 'editStarted', turnId: 'Where?' }],
      { draft: editing.draft, cancelledEdit: null },
    ],
    [
      'starts an edit with the original question if the text of the cancelled edit was blank',
      editing,
      [{ type: 'draftChanged', text: ' ' }, { type: 'editCancelled' }, { type: 'editStarted', turnId: undefined }],
      { draft: { ...editing.draft, text: 'Where?' } },
    ],
    [
      'keeps the text set aside when an edit is started twice',
      editing,
      [{ type: 'editStarted', turnId: 'Where?' }],
      editing,
    ],
    [
      'returns a queued question to the draft if a version is shown that ends with the same question but starts differently',
      stateOf({
        conversationId: undefined,
        turns: [
          ...inARow(turn('Where?'), turn('And then?')),
          ...inARow(turn('W?'), turn('And then?', '', { id: 'other' })),
        ],
        shownId: 'And then?',
        draft: { ...emptyDraft, queued: ['So?'] },
      }),
      [{ type: 'versionSelected', turnId: 'other' }],
      { draft: { ...emptyDraft, text: 'So?' } },
    ],
    [
      'does not end a wait when an earlier wait would have ended',
      running,
      [
        { type: 'cooldownStarted', until: 1 },
        { type: 'cooldownStarted', until: 2 },
        { type: 'cooldownEnded', until: 1 },
      ],
      { cooldownUntil: 2 },
    ],
    [
      'does not show the version that another tab shows',
      idleWith([turn('Where?')]),
      [{ type: 'merged', conversationId: undefined, tree: { turns: [turn('Where?'), turn('W?')], shownId: 'W?' } }],
      { turns: [turn('Where?')] },
    ],
    [
      'remembers only the paths that this tab has shown',
      idleWith([turn('Where?')]),
      [
        {
          type: 'merged',
          conversationId: undefined,
          tree: { turns: [...both, turn('W?')], shownId: 'And then?', earlierShownIds: ['W?'] },
        },
      ],
      { tree: { turns: [...both, turn('W?')], shownId: 'And then?', earlierShownIds: [] } },
    ],
    [
      'remembers the paths that another tab has shown if this tab has shown none',
      idleWith([]),
      [
        {
          type: 'merged',
          conversationId: undefined,
          tree: { turns: [...both, turn('W?')], shownId: 'And then?', earlierShownIds: ['W?'] },
        },
      ],
      { turns: both, tree: { turns: [...both, turn('W?')], shownId: 'And then?', earlierShownIds: ['W?'] } },
    ],
    [
      'shows the turns of another tab if that tab has removed the last turn shown here',
      idle,
      [{ type: 'merged', conversationId: undefined, tree: { turns: [turn('Where?')], shownId: 'Where?' } }],
      { turns: [turn('Where?')] },
    ],
    [
      'turns the edit of a question that another tab has deleted into a new question',
      editing,
      [{ type: 'merged', conversationId: undefined, tree: { turns: [], shownId: null } }],
      { turns: [], draft: { ...emptyDraft, text: 'So?\n\nWhere now?' } },
    ],
    [
      'ends only the turn that another tab has abandoned',
      elsewhere,
      [{ type: 'replyElsewhereEnded' }],
      { turns: elsewhere.turns.map((each) => (each.ending ? each : { ...each, ending: left })) },
    ],
    [
      'does not show a version whose reply is running in another tab',
      stateOf({
        conversationId: undefined,
        turns: [turn('Where?'), runningVersion],
        shownId: 'Where?',
        draft: emptyDraft,
      }),
      [{ type: 'versionSelected', turnId: runningVersion.id }],
      { turns: [turn('Where?')] },
    ],
    [
      'starts no turn during the wait that the service requested',
      idle,
      [{ type: 'cooldownStarted', until: at }, next(idle, 'New?')],
      { ...idle, cooldownUntil: at },
    ],
  ];
  for (const [title, state, events, expected] of cases) {
    it(title, () => {
      expect(afterEvents(state, ...events)).to.deep.include(expected);
    });
  }
});
