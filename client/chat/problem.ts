import { budgetSentences, capacitySentences, type ErrorCode } from '../../shared/errors.ts';
import type { Ending } from './turn.ts';

/** What can be done next about a turn that did not end well, the best first. */
export type Remedy = 'tryAgain' | 'edit' | 'newConversation' | 'signIn' | 'onboarding' | 'reload';

/**
 * Why a turn did not end well, and what the person can do about it. Without `tryAgain` among the remedies, another attempt would
 * fail the same way.
 */
export const problems = {
  badRequest: ['newConversation', 'reload'],
  signedOut: ['signIn'],
  sessionEnded: ['signIn', 'tryAgain'],
  notOnboarded: ['onboarding'],
  limited: ['tryAgain'],
  userBudget: ['tryAgain'],
  organizationBudget: ['tryAgain'],
  demoBudget: ['tryAgain'],
  modelBusy: ['tryAgain'],
  serviceFull: ['tryAgain'],
  demoFull: ['tryAgain'],
  userFull: ['tryAgain'],
  modelSetUp: [],
  modelRefused: ['edit', 'newConversation'],
  modelFailed: ['tryAgain'],
  serviceFailed: ['tryAgain'],
  tooLong: ['edit', 'newConversation'],
  refused: ['reload', 'newConversation'],
  unavailable: ['tryAgain'],
  unknown: ['tryAgain'],
  unreachable: ['tryAgain'],
  cut: ['tryAgain'],
  questionLeft: ['tryAgain'],
  replyLeft: ['tryAgain'],
} as const satisfies Record<string, readonly Remedy[]>;

export type ProblemName = keyof typeof problems;

/** An ending that is a problem to the person. */
export type Trouble = Exclude<Ending, { type: 'done' | 'stopped' }>;

const byCode = {
  INVALID_JSON: 'badRequest',
  MISSING_MESSAGES: 'badRequest',
  LAST_MESSAGE_NOT_USER: 'badRequest',
  UNAUTHENTICATED: 'signedOut',
  NOT_ONBOARDED: 'notOnboarded',
  RATE_LIMITED: 'limited',
  UPSTREAM_OVERLOADED: 'modelBusy',
  UPSTREAM_AUTH: 'modelSetUp',
  UPSTREAM_BAD_REQUEST: 'modelRefused',
  UPSTREAM_ERROR: 'modelFailed',
  INTERNAL: 'serviceFailed',
} as const satisfies Record<ErrorCode, ProblemName>;

/** What the service says in place of a code's own sentence tells more than the code. */
const bySentence: ReadonlyMap<string, ProblemName> = new Map([
  [capacitySentences.service, 'serviceFull'],
  [capacitySentences.demo, 'demoFull'],
  [capacitySentences.user, 'userFull'],
  [budgetSentences.user, 'userBudget'],
  [budgetSentences.organization, 'organizationBudget'],
  [budgetSentences.demo, 'demoBudget'],
]);

/** Which problem `ending` is, of a turn with some of its reply or none. */
export function problemOf(ending: Trouble, hasReply: boolean): ProblemName {
  if (ending.type === 'unsent') return 'unreachable';
  if (ending.type === 'interrupted') return hasReply ? 'cut' : 'unreachable';
  if (ending.type === 'left') return hasReply ? 'replyLeft' : 'questionLeft';
  const { code, sentence, status } = ending;
  if (code === 'UNAUTHENTICATED' && hasReply) return 'sessionEnded';
  return bySentence.get(sentence) ?? (code === undefined ? byStatus(status) : byCode[code]);
}

/** What a status means that came without one of our codes: from a proxy in between, say. What release 1.0.0 has kept has 0. */
function byStatus(status: number): ProblemName {
  if (status === 0) return 'unknown';
  if (status === 413) return 'tooLong';
  return status >= 500 ? 'unavailable' : 'refused';
}

/** Which limit of the service a turn met: one of its own, or of what can be spent in a day. */
export type Limit = 'demo' | 'live' | (typeof budgets)[number];

const budgets = ['userBudget', 'organizationBudget', 'demoBudget'] as const;

/** The budget that a turn which ended like this has found used up, if it is one. */
export function limitOf(ending: Ending | undefined): Limit | undefined {
  const name = ending && isTrouble(ending) ? problemOf(ending, false) : undefined;
  return budgets.find((budget) => budget === name);
}

/** Whether a turn that ended like this has met a limit of the service. */
export function isLimit(ending: Ending): boolean {
  return isTrouble(ending) && (problemOf(ending, false) === 'limited' || limitOf(ending) !== undefined);
}

/** Whether a turn that ended like this is a problem to the person. */
export function isTrouble(ending: Ending): ending is Trouble {
  return ending.type !== 'done' && ending.type !== 'stopped';
}
