import type { ConversationState } from './conversation-state.ts';
import type { Ending, Turn } from './turn.ts';
import type { Typed } from './typed.ts';

/** A question on its way, and what was said before it. */
export type Asking = {
  requestId: string;
  question: string;
  earlier: readonly Turn[];
  /** The answered turn whose place it takes, if any: it stands until something of the new reply is there. */
  replaced: Turn | undefined;
};

type Changes = Partial<ConversationState>;

/** The question asked after `turns`. */
export function after(turns: readonly Turn[], question: string, requestId: string): Asking {
  return { requestId, question, earlier: turns, replaced: undefined };
}

/** The question asked in the place of the last of `turns`. */
export function replacing(turns: readonly Turn[], question: string, requestId: string): Asking {
  const last = turns.at(-1);
  return { requestId, question, earlier: turns.slice(0, -1), replaced: last?.reply ? last : undefined };
}

/** The question is asked. */
export function asked({ earlier, requestId, question }: Asking): Changes {
  return {
    turns: [...earlier, { requestId, question, reply: '', ending: null }],
    phase: { name: 'waiting', attempt: 1 },
  };
}

/** What was typed is on its way as `question`; what was put aside for it comes back. */
export function takenFromDraft({ draft, setAside }: Typed, question: string): Changes {
  return draft === question ? { draft: setAside ?? '', setAside: null, wasRefused: false } : {};
}

/** The turn has ended. */
export function ended(state: ConversationState, asking: Asking, ending: Ending): Changes {
  if (ending.type === 'done' || !isWithoutReply(state) || !asking.replaced) {
    return { turns: state.turns.map((turn, index) => (index === asking.earlier.length ? { ...turn, ending } : turn)) };
  }
  return { ...putBack(state, asking), setback: ending.type === 'stopped' ? null : ending };
}

/** The service has refused to talk to this person. */
export function refused(state: ConversationState, asking: Asking): Changes {
  if (asking.replaced) {
    const back = putBack(state, asking);
    return { ...back, wasRefused: back.draft !== undefined };
  }
  return { turns: asking.earlier, draft: joined(asking.question, state.draft), wasRefused: true };
}

/** What the device is to keep while the question is on its way: a reload finds nothing lost. */
export function toKeep(state: ConversationState, asking: Asking | undefined): ConversationState {
  return asking?.replaced && isWithoutReply(state) ? { ...state, ...putBack(state, asking) } : state;
}

/** Nobody writes the last turn any more: it was cut off with the page that had asked. */
export function cutOff({ turns }: ConversationState): Changes {
  return {
    turns: turns.map((turn) =>
      turn.ending === null ? { ...turn, ending: { type: 'left', requestId: turn.requestId } } : turn,
    ),
  };
}

/** Another tab has gone on with the conversation. A question that was being edited but is no longer the last is a new one. */
export function takenIn({ turns, draft, setAside }: ConversationState, kept: readonly Turn[]): Changes {
  if (setAside === null || turns.at(-1)?.requestId === kept.at(-1)?.requestId) return { turns: kept };
  return { turns: kept, draft: joined(setAside, draft), setAside: null };
}

/** The texts as paragraphs of one. */
function joined(...texts: string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}

function putBack({ turns, draft }: ConversationState, { earlier, replaced, question }: Asking): Changes {
  if (replaced === undefined) return { turns };
  const answered = [...earlier, replaced];
  return question === replaced.question ? { turns: answered } : { turns: answered, draft: question, setAside: draft };
}

function isWithoutReply({ turns }: ConversationState): boolean {
  return turns.at(-1)?.reply === '';
}
