import { demoErrorCodes, type ErrorCode, errors, parseErrorCode, splitAppendedError } from '../../../shared/errors.ts';
import { promptVersion } from '../../../shared/interface.ts';
import { fates } from '../plan/fates.ts';
import type { Asker, Attempt, ProviderReply, Violation } from '../records.ts';
import type { Evidence, Rule } from './evidence.ts';
import { mayBeSuspended } from './suspensions.ts';

/** How long after the database works again requests may fail that had waited for it, or found a dead connection. */
export const databaseRecoveryMilliseconds = 6_000;

/** Each answer is the one that what happened calls for: the provider's text, or the error that has a cause in the records. */
export const answers: Rule = (evidence) =>
  evidence.records.attempts.flatMap((attempt) => {
    const asker = evidence.question(attempt.turn)?.asker;
    if (asker === undefined) return [violation(attempt, 'an attempt for a turn that nobody began')];
    return problemsOf(attempt, asker, evidence).map((detail) => violation(attempt, detail));
  });

function violation({ requestId, turn, status, ending }: Attempt, detail: string): Violation {
  return { rule: 'answers', requestId, detail: `turn ${turn}, status ${status}, ${ending}: ${detail}` };
}

function problemsOf(attempt: Attempt, asker: Asker, evidence: Evidence): string[] {
  const { status, ending, headers, requestId, retryAfterSeconds } = attempt;
  const problems: string[] = [];
  if (ending === null) return ['it came to no end'];
  if (status !== null && headers.requestId !== requestId) problems.push('the request id was not echoed');
  if (status !== null && (retryAfterSeconds !== null) !== (status === 429)) problems.push('Retry-After belongs to 429');
  if (ending === 'cut') return [...problems, ...problemsOfCut(attempt, evidence)];
  if (status === 200) return [...problems, ...problemsOfText(attempt, asker, evidence)];
  if (status !== null && ending === 'whole') return [...problems, ...problemsOfError(attempt, asker, evidence)];
  return problems;
}

function problemsOfCut(attempt: Attempt, { wasFailing }: Evidence): string[] {
  const [from, to] = during(attempt);
  if (wasFailing('product killed', from, to)) return [];
  if (!wasFailing('product stopped', from, to)) return ['the connection failed for no reason'];
  return attempt.status === null ? [] : ['a stop cut an answer that had begun'];
}

function problemsOfText(attempt: Attempt, asker: Asker, evidence: Evidence): string[] {
  const { body, ending } = attempt;
  const reply = evidence.replyOf(attempt);
  const problems = problemsOfHeaders(attempt, asker);
  if (reply === undefined) return [...problems, 'the provider was never asked'];
  if (reply.turn !== attempt.turn) return [...problems, 'this is the reply to another question'];
  const { text, code } = splitAppendedError(body);
  if (!reply.text.startsWith(text) && ending === 'whole') problems.push('the text is not what the provider sent');
  if (ending !== 'whole') return problems;
  if (code === undefined) {
    if (!reply.whole || text !== reply.text) problems.push('a clean end of a reply that is not whole');
  } else if (code !== 'UPSTREAM_ERROR') problems.push(`${code} was appended`);
  else if (!fates[reply.fate].after && !isEndedFromOutside(attempt, evidence)) {
    problems.push(`an error line after "${reply.fate}"`);
  }
  return problems;
}

/** The process was stopped, or the person suspended, in the middle of the reply. */
function isEndedFromOutside(attempt: Attempt, evidence: Evidence): boolean {
  return evidence.wasFailing('product stopped', ...during(attempt)) || mayBeSuspended(attempt, evidence);
}

function problemsOfHeaders({ headers, askedConversationId }: Attempt, asker: Asker): string[] {
  const { conversationId, promptVersion: version } = headers;
  if (asker.route === 'demo') {
    return conversationId === null && version === null ? [] : ['demo chat names a conversation or a prompt version'];
  }
  const problems: string[] = [];
  if (version !== promptVersion) problems.push(`the prompt version is ${version}`);
  if (conversationId === null || !/^c[a-z0-9]{24}$/.test(conversationId)) problems.push('no conversation is named');
  if (askedConversationId !== null && conversationId !== askedConversationId) {
    problems.push('the turn was not appended to the conversation that was asked for');
  }
  return problems;
}

function problemsOfError(attempt: Attempt, asker: Asker, evidence: Evidence): string[] {
  const { status, body } = attempt;
  const code = parseErrorCode(body);
  if (code === undefined || errors[code].status !== status) return [`an unknown error: ${body.slice(0, 80)}`];
  // Whether it was deserved is the rule of the limits and of the budgets.
  if (code === 'RATE_LIMITED' || isExplained(attempt, code, asker, evidence)) return [];
  return [`${code} for no reason (provider: ${evidence.replyOf(attempt)?.fate ?? 'not asked'})`];
}

function isExplained(attempt: Attempt, code: ErrorCode, { route }: Asker, evidence: Evidence): boolean {
  const [from, to] = during(attempt);
  const reply = evidence.replyOf(attempt);
  if (code === 'INTERNAL') {
    return route === 'live' && evidence.wasFailing('database', from, to, databaseRecoveryMilliseconds);
  }
  if (code === 'UNAUTHENTICATED') return mayBeSuspended(attempt, evidence);
  if (reply !== undefined && code === expectedCode(reply, route)) return true;
  return code === 'UPSTREAM_OVERLOADED' && evidence.wasFailing('product stopped', from, to);
}

function expectedCode({ fate }: ProviderReply, route: Asker['route']): ErrorCode | null {
  const { before } = fates[fate];
  return before === null || route === 'live' || demoErrorCodes.includes(before) ? before : 'UPSTREAM_ERROR';
}

function during({ sentAt, endedAt }: Attempt): [number, number] {
  return [sentAt, endedAt ?? Number.MAX_VALUE];
}
