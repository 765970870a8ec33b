import type { Attempt, MessageRow, Moment, ProviderReply, TokenUseRow } from '../records.ts';
import type { Evidence } from './evidence.ts';

/** How far the database's clock may be from this one: they are on one machine. */
const clockMilliseconds = 100;

/** What four characters count where the provider has reported nothing. */
const estimated = (characters: number) => Math.ceil(characters / 4);

/** How many tokens of a reply a turn may ask for: the least that its reservation comes to. */
export const maxTokens = 4096;

/** What a turn with a prompt of which nothing is known may have reserved beside that. */
const mostPromptTokens = 20_000;

/** One turn's count, with the reply that it counts, where the provider was asked. */
export type Use = {
  row: TokenUseRow;
  reply: ProviderReply | null;
  /** the reply's, where there is one */
  attempt: Attempt | null;
  /** when it was settled for certain; null where nothing says so */
  overAt: Moment | null;
  /** the most that it may have counted until then */
  mostReserved: number;
};

/** Each row of `token_uses` with the reply that it counts, by person; and the replies that no row counts. */
export function matchUses(evidence: Evidence): { uses: Use[]; uncounted: ProviderReply[] } {
  const { records, question, attemptOf } = evidence;
  const left = Map.groupBy(records.stored.tokenUses, ({ userId, orgId }) => `${userId} ${orgId}`);
  const uses: Use[] = [];
  const uncounted: ProviderReply[] = [];
  const counted = records.replies
    .map((reply) => ({ reply, ...countsOf(reply, evidence) }))
    // Whoever can have one row alone takes it first.
    .toSorted((one, other) => one.most - one.least - (other.most - other.least));
  for (const { reply, least, most, isStored } of counted) {
    const asker = question(reply.turn)?.asker;
    if (asker?.route !== 'live') continue;
    const rows = left.get(`${asker.userId} ${asker.orgId}`) ?? [];
    const attempt = attemptOf(reply) ?? null;
    const from = (attempt?.sentAt ?? reply.arrivedAt) - clockMilliseconds;
    const fits = ({ usedAt, settled, tokens }: TokenUseRow) =>
      usedAt >= from &&
      usedAt <= reply.arrivedAt + clockMilliseconds &&
      (settled ? tokens >= least && tokens <= most : !isStored);
    const row = rows.find((one) => one.settled && fits(one)) ?? rows.find(fits);
    if (row === undefined) uncounted.push(reply);
    else {
      rows.splice(rows.indexOf(row), 1);
      // The facts are in the prompt twice: in its characters, and once more as the database estimates them.
      const mostReserved = maxTokens + 2 * estimated(reply.promptCharacters);
      uses.push({ row, reply, attempt, overAt: overAt(row, attempt, evidence), mostReserved });
    }
  }
  for (const row of [...left.values()].flat()) {
    uses.push({ row, reply: null, attempt: null, overAt: null, mostReserved: maxTokens + mostPromptTokens });
  }
  return { uses: uses.toSorted((one, other) => one.row.usedAt - other.row.usedAt), uncounted };
}

/** What the provider reported. Of a reply that is not stored only its bounds are known: it may have been left at any time. */
function countsOf(reply: ProviderReply, { rowsHolding }: Evidence): { least: number; most: number; isStored: boolean } {
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreateTokens } = reply.usage;
  const input = inputTokens + cacheReadTokens + cacheCreateTokens;
  const [row] = rowsHolding(reply);
  if (row !== undefined) {
    const tokens = input + outputOf(row);
    return { least: tokens, most: tokens, isStored: true };
  }
  const most = Math.max(
    estimated(reply.promptCharacters),
    input + Math.max(outputTokens, estimated(reply.text.length)),
  );
  return { least: 0, most, isStored: false };
}

function outputOf({ outputTokens, stopReason, content }: MessageRow): number {
  const reported = outputTokens ?? 0;
  return stopReason === null ? Math.max(reported, estimated(content.length)) : reported;
}

/** A reply is settled before it ends, unless the database takes no writes, or its reader has left. */
function overAt({ settled }: TokenUseRow, attempt: Attempt | null, { wasFailing }: Evidence): Moment | null {
  if (!settled || attempt?.endedAt == null) return null;
  const late = attempt.ending !== 'whole' || wasFailing('database', attempt.sentAt, attempt.endedAt, 15_000);
  return attempt.endedAt + (late ? 30_000 : clockMilliseconds);
}
