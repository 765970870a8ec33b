import { isAnswerable } from '../arbitraries/cases.ts';
import type { Rule } from './evidence.ts';

/** Who sends whole requests gets an answer, and nothing goes on for long once they have it or have left. */
export const answered: Rule = ({ tried, exchanged, settled }) => {
  const { responses, broken } = exchanged;
  // What the parser refuses ends a connection at once, also while others wait there for their answers.
  const mayBeClosed = broken || tried.requests.length > 1;
  const unanswered = !exchanged.answered || (responses.length === 0 && !mayBeClosed);
  return [
    ...(isAnswerable(tried) && unanswered ? ['Requests that are whole have no answer.'] : []),
    ...(settled.over ? [] : ['A request is still under way, although its client has its answer or has left.']),
  ];
};
