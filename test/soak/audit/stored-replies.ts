import { presentableText } from '../../../client/chat/presentable-text.ts';
import { formatAppendedError, splitAppendedError } from '../../../shared/errors.ts';
import { promptVersion } from '../../../shared/interface.ts';
import { modelName } from '../parts/model-name.ts';
import type { Attempt, MessageRow, ProviderReply, Violation } from '../records.ts';
import type { Evidence, Rule } from './evidence.ts';
import { storedText } from './stored-text.ts';

/** How long the row of a reply that its reader has left may take to be stored. */
const leftRowMilliseconds = 2_000;

/** What a client saw of a live reply is stored, as the provider sent it; only a crash may lose the replies in flight. */
export const missingReplies: Rule = (evidence) =>
  evidence.records.attempts.flatMap((attempt): Violation[] => {
    const detail = problemOfSeen(attempt, evidence);
    const { requestId, turn, ending } = attempt;
    return detail === null ? [] : [{ rule: 'stored replies', requestId, detail: `turn ${turn}, ${ending}: ${detail}` }];
  });

function problemOfSeen(attempt: Attempt, evidence: Evidence): string | null {
  const { status, ending, body, turn } = attempt;
  if (status !== 200 || evidence.question(turn)?.asker.route !== 'live') return null;
  const { text, code } = ending === 'whole' ? splitAppendedError(body) : { text: presentableText(body) };
  const reply = evidence.replyOf(attempt);
  // That this is impossible is the answers' rule.
  if (reply === undefined || (ending !== 'whole' && text === '')) return null;
  const [row] = evidence.rowsHolding(reply);
  if (row === undefined) return isExcused(attempt, evidence) ? null : 'the reply is not stored';
  const seen = storedText(text);
  if (ending !== 'whole') return row.content.startsWith(seen) ? null : 'less is stored than the client saw';
  if (row.content !== seen) return 'what is stored is not what the client saw';
  const stopReason = code === undefined ? reply.stopReason : null;
  return row.stopReason === stopReason ? null : `the stop reason is ${row.stopReason} and not ${stopReason}`;
}

function isExcused({ ending, sentAt, endedAt }: Attempt, { records }: Evidence): boolean {
  const late = ending === 'left' ? leftRowMilliseconds : 0;
  const end = endedAt ?? Number.MAX_VALUE;
  if (ending === 'whole') return false;
  return records.faults.some(
    ({ failing, from, mendedAt }) =>
      failing.includes('product killed') && sentAt <= from && end >= from - late && end - late <= mendedAt,
  );
}

/** Each stored reply is one that the provider gave to this request, once, with its own counts. */
export const storedReplies: Rule = (evidence) =>
  evidence.assistantRows.flatMap((row) =>
    problemsOfRow(row, evidence).map((detail) => ({ rule: 'stored replies', requestId: row.requestId, detail })),
  );

function problemsOfRow(row: MessageRow, evidence: Evidence): string[] {
  const reply = evidence.replyStored(row);
  if (reply === undefined) return ['a reply that the provider never gave'];
  const problems: string[] = [];
  if (evidence.questionOfRequest(row.requestId)?.turn !== reply.turn) problems.push('a reply to another question');
  if (evidence.rowsHolding(reply)[0] !== row) problems.push('the same reply is stored twice');
  if (row.content.endsWith(formatAppendedError('UPSTREAM_ERROR'))) problems.push('the error text is stored');
  else if (!storedText(reply.text).startsWith(row.content)) problems.push('the text is not what the provider sent');
  if (row.stopReason !== null && row.content !== storedText(reply.text)) problems.push('a cut text with a stop reason');
  if (row.stopReason !== null && row.stopReason !== reply.stopReason) problems.push(`stop reason ${row.stopReason}`);
  if (!hasCountsOf(row, reply)) problems.push('the token counts are not the provider’s');
  if (row.model !== modelName || row.promptVersion !== promptVersion) problems.push('wrong model or prompt version');
  if (!couldBeStored(row, reply, evidence)) problems.push('stored although the turn failed before any text');
  return problems;
}

/** The final counts, or where the reply was cut those that its beginning stated. */
function hasCountsOf(row: MessageRow, { usage }: ProviderReply): boolean {
  const output = row.stopReason === null ? [1, usage.outputTokens] : [usage.outputTokens];
  return (
    row.inputTokens === usage.inputTokens &&
    row.cacheReadTokens === usage.cacheReadTokens &&
    row.cacheCreateTokens === usage.cacheCreateTokens &&
    row.outputTokens !== null &&
    output.includes(row.outputTokens)
  );
}

/** Whether somebody was shown this reply, or had left before it could be shown. */
function couldBeStored({ requestId }: MessageRow, reply: ProviderReply, { attemptsOf, replyOf }: Evidence): boolean {
  return attemptsOf(reply.turn).some((attempt) => {
    if (attempt.requestId !== requestId) return false;
    return attempt.status === 200
      ? replyOf(attempt) === reply || attempt.ending !== 'whole'
      : attempt.ending !== 'whole';
  });
}
