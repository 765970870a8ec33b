import { pathTo } from '../chat/conversation-tree.ts';
import type { Turn } from '../chat/turn.ts';
import type { ConversationEntry, TurnRow } from '../device/conversation-records.ts';
import type { ConversationStore } from '../device/conversation-store.ts';
import { turnsOf } from '../device/stored-transcript.ts';
import { joinContinuations } from './continued-reply.ts';
import { findFolded, foldText } from './folded-text.ts';

/** A match with the text around it, cut between words if possible and marked with `…`. */
export type Passage = {
  before: string;
  match: string;
  after: string;
  /** The turn on the page that has the match. A continuation is part of the turn that it continues. */
  turnId: string;
  /** The turn by which to select the version that has the match. */
  versionId: string;
};

/** A search result. `passage` is null if only the title or name matches. */
export type SearchResult = { entry: ConversationEntry; passage: Passage | null };

/** Searching this much text takes a few milliseconds. */
const batchCharacters = 500_000;
const minTurns = 20;
const maxTurns = 800;

/** Returns the latest results first. Yields to the page between batches. Rejects with the signal's reason once it aborts. */
export async function searchConversations(
  store: ConversationStore,
  words: string,
  signal?: AbortSignal,
): Promise<SearchResult[]> {
  const query = foldText(words.trim().replace(/\s+/g, ' '));
  if (query === '') return [];
  const { entries } = store.getState();
  const shownIds = new Map(store.rows().map(({ id, shownId }) => [id, shownId]));
  const passages = new Map<string, Passage>();
  for await (const turns of conversationsOf(store, signal)) {
    const [first] = turns;
    const shownId = first && shownIds.get(first.conversation);
    if (first === undefined || shownId === undefined) continue;
    const passage = passageIn(turns, shownId, query);
    if (passage) passages.set(first.conversation, passage);
  }
  const found = entries.map((entry): SearchResult => ({ entry, passage: passages.get(entry.id) ?? null }));
  const hasMatchingTitle = ({ title, name }: ConversationEntry) =>
    [title, name ?? ''].some((text) => findFolded(text, query) !== undefined);
  return found.filter(({ entry, passage }) => passage !== null || hasMatchingTitle(entry));
}

/** Yields the turns grouped by conversation. Those in memory come first, because they may not be written yet. */
async function* conversationsOf(
  store: ConversationStore,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly TurnRow[]> {
  const open = store.openTurns();
  yield* open.values();
  let collected: TurnRow[] = [];
  for await (const row of storedTurns(store, signal)) {
    if (open.has(row.conversation)) continue;
    if (collected.length > 0 && collected[0]?.conversation !== row.conversation) {
      yield collected;
      collected = [];
    }
    collected.push(row);
  }
  yield collected;
}

async function* storedTurns(store: ConversationStore, signal: AbortSignal | undefined): AsyncGenerator<TurnRow> {
  let count = minTurns;
  let nextBatch = store.readTurnsAfter(undefined, count);
  for (;;) {
    const { rows, cursor } = await nextBatch;
    signal?.throwIfAborted();
    if (cursor !== undefined) {
      const characters = rows.reduce((sum, { turn }) => sum + turn.question.length + turn.reply.length, 1);
      count = Math.min(Math.max(Math.floor((rows.length * batchCharacters) / characters), minTurns), maxTurns);
      // The database reads the next batch while this one is searched.
      nextBatch = store.readTurnsAfter(cursor, count);
      // If the search is aborted, no one awaits this promise.
      nextBatch.catch(() => {});
    }
    yield* rows;
    if (cursor === undefined) return;
  }
}

/** Returns the first match in a conversation; shown turns come first. */
function passageIn(rows: readonly TurnRow[], shownId: string | null, query: string): Passage | undefined {
  const turns = turnsOf(rows);
  const shown = pathTo({ turns }, shownId);
  for (const turn of joinContinuations(shown)) {
    const passage = passageInTurn(turn, turn.id);
    if (passage) return passage;
  }
  const shownTurns = new Set(shown);
  for (const turn of turns) {
    if (shownTurns.has(turn)) continue;
    const joined = turn.isContinuation ? joinContinuations(pathTo({ turns }, turn.id)).at(-1) : turn;
    const passage = joined && passageInTurn(joined, turn.id);
    if (passage) return passage;
  }
  return undefined;

  function passageInTurn({ id, question, reply, isContinuation }: Turn, versionId: string): Passage | undefined {
    // The page shows no question for a continuation whose reply is missing.
    for (const text of [isContinuation ? '' : question, withoutMarkdown(reply)]) {
      const range = findFolded(text, query);
      if (range !== undefined) return { ...passageAround(text, range), turnId: id, versionId };
    }
    return undefined;
  }
}

const charactersBefore = 40;
const charactersAfter = 80;

export function passageAround(
  text: string,
  { start, end }: { start: number; end: number },
): Pick<Passage, 'before' | 'match' | 'after'> {
  const earlier = toOneLine(text.slice(Math.max(0, start - 4 * charactersBefore), start));
  const later = toOneLine(text.slice(end, end + 4 * charactersAfter));
  const before = earlier.length > charactersBefore ? lastWords(earlier) : earlier;
  const after = later.length > charactersAfter ? firstWords(later) : later;
  return { before: before.trimStart(), match: toOneLine(text.slice(start, end)), after: after.trimEnd() };
}

/** Cuts a word that is longer than the limit. */
function lastWords(text: string): string {
  const end = wellFormed(text.slice(-charactersBefore));
  const gap = end.indexOf(' ');
  return `…${gap === -1 || gap === end.length - 1 ? end : end.slice(gap + 1)}`;
}

function firstWords(text: string): string {
  const start = wellFormed(text.slice(0, charactersAfter));
  const gap = start.lastIndexOf(' ');
  return `${gap <= 0 ? start : start.slice(0, gap)}…`;
}

function wellFormed(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** Markdown at the start of a line: headings, quotations, bullets and numbers. */
const lineMarks = /^[ \t]*(?:(?:#{1,6}|>|[-*+](?:[ \t]+\[[ xX]\])?|\d{1,9}[.)])[ \t]+)+/gm;

/** Code fences, and the delimiter row of a table. */
const ruleLines = /^[ \t]*(?:(?:```|~~~).*|(?:\|[ \t]*)?:?---[-:| \t]*)$/gm;

const links = /!?\[([^\][\n]*)\]\([^()\s]*(?:[ \t]+"[^"\n]*")?\)/g;
const cells = /^[ \t]*\|.*\|[ \t]*$/gm;
const strong = /\*\*|__|~~|`+/g;
const emphasis = /(?<![\p{L}\p{N}*_])([*_])(?=\S)([^*_\n]*\S)\1(?![\p{L}\p{N}*_])/gu;

const formulas = /\$\$[^$]+\$\$|\$(?=[^$\n\\]*\\)[^$\n]*\$|\\\[(?:[^\\]|\\[^[\]])+\\\]|\\\((?:[^\\\n]|\\[^()\n])+\\\)/g;
const fraction = /\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g;

/** Returns rough plain text for a formula: `\frac{a}{b}` becomes `a/b`, `\lambda` becomes `lambda`. */
function withoutTex(formula: string): string {
  return formula
    .replace(fraction, '$1/$2')
    .replace(/\\([A-Za-z]+)/g, '$1')
    .replace(/\\[()[\]]|[\\${}]/g, '');
}

export function withoutMarkdown(markdown: string): string {
  return markdown
    .replace(formulas, withoutTex)
    .replace(ruleLines, '')
    .replace(lineMarks, '')
    .replace(links, '$1')
    .replace(cells, (row) => row.replaceAll('|', ' '))
    .replace(strong, '')
    .replace(emphasis, '$2');
}
