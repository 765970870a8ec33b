import { budgetSentences, capacitySentences, type ErrorCode } from '../../shared/errors.ts';
import type { Ending } from '../chat/turn.ts';

export type Remedy = 'tryAgain' | 'edit' | 'newConversation' | 'signIn' | 'onboarding' | 'reload';

/** The remedies for each problem, the best one first. Without `tryAgain`, the same turn would fail the same way again. */
export const problemRemedies = {
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
  modelMisconfigured: [],
  modelRefused: ['edit', 'newConversation'],
  modelFailed: ['tryAgain'],
  serviceFailed: ['tryAgain'],
  tooLong: ['edit', 'newConversation'],
  refused: ['reload', 'newConversation'],
  unavailable: ['tryAgain'],
  unreachable: ['tryAgain'],
  cut: ['tryAgain'],
  pageLeftBeforeReply: ['tryAgain'],
  pageLeftDuringReply: ['tryAgain'],
} as const satisfies Record<string, readonly Remedy[]>;

export type ProblemName = keyof typeof problemRemedies;

type Advice =
  | 'askNow'
  | 'waitAMinute'
  | 'waitForReply'
  | 'askAdministrator'
  | 'changeQuestion'
  | 'oftenHelps'
  | 'shorten'
  | 'checkConnection';

/** Advice beyond the remedies. */
export const advice: Readonly<Partial<Record<ProblemName, Advice>>> = {
  limited: 'askNow',
  userBudget: 'askNow',
  organizationBudget: 'askNow',
  demoBudget: 'askNow',
  modelBusy: 'waitAMinute',
  serviceFull: 'waitAMinute',
  demoFull: 'waitAMinute',
  userFull: 'waitForReply',
  modelMisconfigured: 'askAdministrator',
  modelRefused: 'changeQuestion',
  modelFailed: 'oftenHelps',
  serviceFailed: 'waitAMinute',
  tooLong: 'shorten',
  unavailable: 'waitAMinute',
  unreachable: 'checkConnection',
};

export type ProblemEnding = Exclude<Ending, { type: 'done' | 'stopped' }>;

const problemByCode = {
  INVALID_JSON: 'badRequest',
  MISSING_MESSAGES: 'badRequest',
  LAST_MESSAGE_NOT_USER: 'badRequest',
  UNAUTHENTICATED: 'signedOut',
  NOT_ONBOARDED: 'notOnboarded',
  RATE_LIMITED: 'limited',
  UPSTREAM_OVERLOADED: 'modelBusy',
  UPSTREAM_AUTH: 'modelMisconfigured',
  UPSTREAM_BAD_REQUEST: 'modelRefused',
  UPSTREAM_ERROR: 'modelFailed',
  INTERNAL: 'serviceFailed',
} as const satisfies Record<ErrorCode, ProblemName>;

/** Sentences that are more specific than the code they come with. */
const problemBySentence: ReadonlyMap<string, ProblemName> = new Map([
  [capacitySentences.service, 'serviceFull'],
  [capacitySentences.demo, 'demoFull'],
  [capacitySentences.user, 'userFull'],
  [capacitySentences.bodies, 'serviceFull'],
  [capacitySentences.share, 'serviceFull'],
  [budgetSentences.user, 'userBudget'],
  [budgetSentences.organization, 'organizationBudget'],
  [budgetSentences.demo, 'demoBudget'],
]);

export function problemOf(ending: ProblemEnding, hasReply: boolean): ProblemName {
  if (ending.type === 'interrupted') return hasReply ? 'cut' : 'unreachable';
  if (ending.type === 'left') return hasReply ? 'pageLeftDuringReply' : 'pageLeftBeforeReply';
  const { code, sentence, status } = ending;
  if (code === 'UNAUTHENTICATED' && hasReply) return 'sessionEnded';
  return problemBySentence.get(sentence) ?? (code === undefined ? problemByStatus(status) : problemByCode[code]);
}

/** Returns the problem for a status without a known code, for example from a proxy. */
function problemByStatus(status: number): ProblemName {
  if (status === 413) return 'tooLong';
  return status >= 500 ? 'unavailable' : 'refused';
}

/** Returns why a turn has no complete reply; null if it has one or is still running. */
export function reasonOf(ending: Ending | null, hasReply: boolean): ProblemName | 'stopped' | null {
  if (ending === null || ending.type === 'done') return null;
  return ending.type === 'stopped' ? 'stopped' : problemOf(ending, hasReply);
}

export type LimitOrBudget = 'demo' | 'live' | (typeof budgets)[number];

const budgets = ['userBudget', 'organizationBudget', 'demoBudget'] as const;

export function exhaustedBudget(ending: Ending | undefined): LimitOrBudget | undefined {
  const name = ending && isProblem(ending) ? problemOf(ending, false) : undefined;
  return budgets.find((budget) => budget === name);
}

export function isLimitOrBudget(ending: Ending): boolean {
  return isProblem(ending) && (problemOf(ending, false) === 'limited' || exhaustedBudget(ending) !== undefined);
}

export function isProblem(ending: Ending): ending is ProblemEnding {
  return ending.type !== 'done' && ending.type !== 'stopped';
}

/** Returns whether the rest of an incomplete reply can be requested. Replies that may be cut at their maximum length end as `done`. */
export function canContinue(ending: Ending, hasReply: boolean): boolean {
  if (!hasReply || ending.type === 'done') return false;
  const remedies: readonly Remedy[] = isProblem(ending) ? problemRemedies[problemOf(ending, hasReply)] : ['tryAgain'];
  return remedies.includes('tryAgain');
}
