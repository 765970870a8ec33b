import { presentableText } from '../../../client/chat/presentable-text.ts';
import { errors, splitAppendedError } from '../../../shared/errors.ts';
import type { Attempt, Question, Violation } from '../records.ts';
import type { Rule } from './evidence.ts';

/** Each turn came to an end that its person saw: what the client showed is what it had received. */
export const shown: Rule = ({ records, attemptsOf }) =>
  records.questions.flatMap((question): Violation[] => {
    const detail = problemOf(question, attemptsOf(question.turn));
    const requestId = attemptsOf(question.turn)[0]?.requestId;
    return detail === null ? [] : [{ rule: 'shown', detail, ...(requestId !== undefined && { requestId }) }];
  });

function problemOf({ turn, shown }: Question, attempts: readonly Attempt[]): string | null {
  if (shown === null) return null;
  const { ending, reply, stuck } = shown;
  if (stuck) return `turn ${turn} came to no end`;
  if (ending === 'stopped' || ending === 'left') return null;
  const last = attempts[shown.attempts - 1];
  if (last === undefined) return `turn ${turn} was never sent`;
  const expected = expectedOf(last);
  if (ending === expected.ending && reply === expected.reply) return null;
  return `turn ${turn} was shown as ${ending} with ${reply.length} characters, but it is ${expected.ending} with ${expected.reply.length}`;
}

function expectedOf({ ending, status, body }: Attempt): { ending: string; reply: string } {
  const { text, code } = splitAppendedError(status === 200 ? body : '');
  // Nobody knows what a cut tail would have become: what may begin an error line is not shown.
  if (ending === 'cut') return { ending: 'interrupted', reply: presentableText(text) };
  if (status === errors.UNAUTHENTICATED.status) return { ending: 'refused', reply: '' };
  return { ending: status === 200 && code === undefined ? 'done' : 'failed', reply: text };
}
