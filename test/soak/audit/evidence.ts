import { replyBegun } from '../marks.ts';
import type {
  Attempt,
  FailingPart,
  MessageRow,
  Moment,
  ProviderReply,
  Question,
  Records,
  Violation,
} from '../records.ts';

export type Rule = (evidence: Evidence) => Violation[];
export type Evidence = ReturnType<typeof gatherEvidence>;

/** The records of a run, with what belongs together found. */
export function gatherEvidence(records: Records) {
  const { questions, attempts, replies, stored, faults } = records;
  const questionOfTurn = new Map(questions.map((question) => [question.turn, question]));
  const attemptsOfTurn = Map.groupBy(
    attempts.toSorted((one, other) => one.sentAt - other.sentAt),
    ({ turn }) => turn,
  );
  const repliesOfTurn = Map.groupBy(replies, ({ turn }) => turn);
  const turnOfRequest = new Map(attempts.map(({ requestId, turn }) => [requestId, turn]));
  const rowsOfConversation = Map.groupBy(
    stored.messages.toSorted((one, other) => one.position - other.position),
    ({ conversationId }) => conversationId,
  );
  const rowsOfRequest = Map.groupBy(stored.messages, ({ requestId }) => requestId);

  const attemptsOf = (turn: number): readonly Attempt[] => attemptsOfTurn.get(turn) ?? [];
  const repliesOf = (turn: number): readonly ProviderReply[] => repliesOfTurn.get(turn) ?? [];
  const rowsOf = (requestId: string): readonly MessageRow[] => rowsOfRequest.get(requestId) ?? [];

  /** The reply with which `text` begins. */
  function replyNamed(text: string): ProviderReply | undefined {
    const named = replyBegun(text);
    return named && repliesOf(named.turn).find(({ attempt }) => attempt === named.attempt);
  }

  /** What the provider was asked for an attempt: the body says it, else it is the request that arrived while it ran. */
  function replyOf({ turn, body, sentAt, endedAt }: Attempt): ProviderReply | undefined {
    return (
      replyNamed(body) ??
      repliesOf(turn).findLast(({ arrivedAt }) => sentAt <= arrivedAt && arrivedAt <= (endedAt ?? Infinity))
    );
  }

  /** The attempt for which the provider was asked: the latest that had been sent by then. */
  function attemptOf({ turn, arrivedAt }: ProviderReply): Attempt | undefined {
    return attemptsOf(turn).findLast(({ sentAt }) => sentAt <= arrivedAt);
  }

  /** The reply that an `ASSISTANT` row holds; one without text is known by its request alone. */
  function replyStored({ content, requestId }: MessageRow): ProviderReply | undefined {
    if (content !== '') return replyNamed(content);
    return repliesOf(turnOfRequest.get(requestId) ?? Number.NaN).find(({ text, whole }) => text === '' && whole);
  }

  const assistantRows = stored.messages.filter(({ role }) => role === 'ASSISTANT');
  const rowsOfReply = Map.groupBy(assistantRows, replyStored);

  return {
    records,
    attemptsOf,
    repliesOf,
    rowsOf,
    /** in the order in which they were written */
    conversationRows: (id: string): readonly MessageRow[] => rowsOfConversation.get(id) ?? [],
    replyOf,
    attemptOf,
    replyStored,
    assistantRows,
    question: (turn: number): Question | undefined => questionOfTurn.get(turn),
    questionOfRequest: (requestId: string): Question | undefined =>
      questionOfTurn.get(turnOfRequest.get(requestId) ?? Number.NaN),
    rowsHolding: (reply: ProviderReply): readonly MessageRow[] => rowsOfReply.get(reply) ?? [],
    /** Whether `part` was failing at any time from `from` to `to`, or had been `milliseconds` before. */
    wasFailing(part: FailingPart, from: Moment, to: Moment, milliseconds = 0): boolean {
      return faults.some(
        (fault) => fault.failing.includes(part) && fault.from <= to && from <= fault.mendedAt + milliseconds,
      );
    },
  };
}
