import type { Attempt, MessageRow, Moment, ProviderReply, TokenUseRow } from '../records.ts';
import type { Evidence } from './evidence.ts';

/** How far the database's clock may be from this one: they are on one machine. */
const clockMilliseconds = 100;

/** What four characters count where the provider has reported nothing. */
const estimated = (characters: number) => Math.ceil(characters / 4);

/** How many tokens of a reply a turn may ask for: the least that its reservation comes to. */
export const maxTokens = 4096;

/** What a turn with a prompt of which nothing is known may have reserved beside that: the longest questions are this long. */
const mostPromptTokens = 50_000;

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

/** A reply that has to be counted, with the rows that may be its count. */
type Counted = { reply: ProviderReply; attempt: Attempt | null; rows: readonly TokenUseRow[] };

/**
 * Each row of `token_uses` with the reply that it counts, by person; and the replies that no row counts. Somebody with
 * many tabs has several of both at the same time, so that no row is given away for good before all have one.
 */
export function matchUses(evidence: Evidence): { uses: Use[]; uncounted: ProviderReply[] } {
  const { records, question, attemptOf } = evidence;
  const rowsOf = Map.groupBy(records.stored.tokenUses, ({ userId, orgId }) => `${userId} ${orgId}`);
  const counted = records.replies.flatMap((reply): Counted[] => {
    const asker = question(reply.turn)?.asker;
    if (asker?.route !== 'live') return [];
    const rows = rowsOf.get(`${asker.userId} ${asker.orgId}`) ?? [];
    return [{ reply, attempt: attemptOf(reply) ?? null, rows: rows.filter(fitsReply(reply, evidence)) }];
  });
  const owners = matchedRows(counted);
  const hasRow = new Set(owners.values());
  const uses = records.stored.tokenUses.map((row): Use => {
    const owner = owners.get(row);
    if (owner === undefined) {
      return { row, reply: null, attempt: null, overAt: null, mostReserved: maxTokens + mostPromptTokens };
    }
    const { reply, attempt } = owner;
    // The facts are in the prompt twice: in its characters, and once more as the database estimates them.
    const mostReserved = maxTokens + 2 * estimated(reply.promptCharacters);
    return { row, reply, attempt, overAt: overAt(row, attempt, evidence), mostReserved };
  });
  return {
    uses: uses.toSorted((one, other) => one.row.usedAt - other.row.usedAt),
    uncounted: counted.filter((one) => !hasRow.has(one)).map(({ reply }) => reply),
  };
}

/** As many replies with a row of their own as can be, each row once; as many of the settled rows as can be are among them. */
function matchedRows(counted: readonly Counted[]): Map<TokenUseRow, Counted> {
  const owners = new Map<TokenUseRow, Counted>();
  const served = new Set<Counted>();

  /** Gives `one` a row; an owner in the way takes another, if there is one. */
  function serve(one: Counted, mayTake: (row: TokenUseRow) => boolean, tried: Set<TokenUseRow>): boolean {
    for (const row of one.rows) {
      if (!mayTake(row) || tried.has(row)) continue;
      tried.add(row);
      const owner = owners.get(row);
      if (owner === undefined || serve(owner, mayTake, tried)) {
        owners.set(row, one);
        served.add(one);
        return true;
      }
    }
    return false;
  }

  // Whoever is given a row keeps one, and a row that has an owner keeps having one: the settled rows come first.
  for (const mayTake of [({ settled }: TokenUseRow) => settled, () => true]) {
    for (const one of counted) {
      if (!served.has(one)) serve(one, mayTake, new Set());
    }
  }
  return owners;
}

/**
 * Whether a row can be the count of `reply`: it was made after its question had been sent for the first time, since a
 * reply may be looked at here when the next attempt is already under way.
 */
function fitsReply(reply: ProviderReply, evidence: Evidence) {
  const { least, most, isStored } = countsOf(reply, evidence);
  const from = (evidence.attemptsOf(reply.turn)[0]?.sentAt ?? reply.arrivedAt) - clockMilliseconds;
  const until = reply.arrivedAt + clockMilliseconds;
  return ({ usedAt, settled, tokens }: TokenUseRow) =>
    usedAt >= from && usedAt <= until && (settled ? tokens >= least && tokens <= most : !isStored);
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
