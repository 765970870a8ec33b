import type { Attempt, MessageRow, Question, Violation } from '../records.ts';
import type { Evidence, Rule } from './evidence.ts';
import { storedText } from './stored-text.ts';

/** Statuses with which a request is refused before its question is stored. */
const refusedBefore = [400, 401, 403, 413, 429];

/**
 * Each live question is stored as it was asked, in the conversation that the client was told of; a repeated request with
 * the same id stores it again only after an answer.
 */
export const storedQuestions: Rule = (evidence) =>
  evidence.records.questions
    .filter(({ asker }) => asker.route === 'live')
    .flatMap((question) => {
      const attempts = evidence.attemptsOf(question.turn);
      const ids = [...new Set(attempts.map(({ requestId }) => requestId))];
      return ids.flatMap((requestId) => {
        const own = attempts.filter((attempt) => attempt.requestId === requestId);
        return problemsOf(question, own, requestId, evidence).map(
          (detail): Violation => ({ rule: 'stored questions', requestId, detail: `turn ${question.turn}: ${detail}` }),
        );
      });
    });

function problemsOf(question: Question, attempts: readonly Attempt[], requestId: string, evidence: Evidence): string[] {
  const rows = evidence.rowsOf(requestId).filter(({ role }) => role === 'USER');
  const problems: string[] = [];
  if (rows.some(({ content }) => content !== storedText(question.text))) problems.push('it is not stored as asked');

  const named = new Set(attempts.flatMap(({ headers }) => headers.conversationId ?? []));
  for (const id of named) {
    if (!rows.some(({ conversationId }) => conversationId === id))
      problems.push(`it is missing from conversation ${id}`);
  }
  const asked = evidence
    .repliesOf(question.turn)
    .some((reply) => attempts.includes(evidence.attemptOf(reply) as Attempt));
  if (asked && rows.length === 0) problems.push('the provider was asked, but the question is not stored');

  if (attempts.every(isRefusedBefore) && rows.length > 0) problems.push('it was refused and is stored all the same');
  if (rows.length > attempts.length) problems.push('it is stored more often than it was sent');
  if (isDoubled(rows, evidence)) problems.push('it is stored twice though it was unanswered');
  const elsewhere = rows.filter(({ conversationId }) => !named.has(conversationId));
  const unnamed = attempts.filter(({ headers }) => headers.conversationId === null);
  if (elsewhere.length > unnamed.length)
    problems.push('it is stored in a conversation that the client was not told of');
  return problems;
}

function isRefusedBefore({ status, headers }: Attempt): boolean {
  if (status === null || headers.conversationId !== null) return false;
  return refusedBefore.includes(status) || status === 503;
}

/** Whether two rows of one question stand one after the other in a conversation. */
function isDoubled(rows: readonly MessageRow[], { conversationRows }: Evidence): boolean {
  return rows.some((row) => {
    const inOrder = conversationRows(row.conversationId);
    const following = inOrder[inOrder.indexOf(row) + 1];
    return following !== undefined && rows.includes(following);
  });
}
