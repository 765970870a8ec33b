import { shownPath } from '../chat/conversation-tree.ts';
import type { ConversationEntry, TurnRow } from '../device/conversation-records.ts';
import type { ConversationStore } from '../device/conversation-store.ts';
import { turnsOf } from '../device/stored-transcript.ts';
import { findFolded, folded } from './folded-text.ts';

/** Where the words of a search occur in what was said. The text is cut at the ends of words, with `…` where it is cut. */
export type Passage = { before: string; match: string; after: string; turnId: string };

/** A conversation that a search has found; without a passage where only its title or name has the words. */
export type Found = { entry: ConversationEntry; passage: Passage | null };

/** How much text is looked through at a time: a few milliseconds' worth. */
const batchCharacters = 500_000;
const minTurns = 20;
const maxTurns = 800;

/**
 * The conversations in whose name, title or turns `words` occur, the latest first. Reads a few turns at a time and lets go of
 * the page in between. Rejects with the signal's reason once that is aborted.
 */
export async function searchConversations(
  store: ConversationStore,
  words: string,
  signal?: AbortSignal,
): Promise<Found[]> {
  const sought = folded(words.trim().replace(/\s+/g, ' '));
  if (sought === '') return [];
  const { entries } = store.getState();
  const shownIds = new Map(store.rows().map(({ id, shownId }) => [id, shownId]));
  const passages = new Map<string, Passage>();
  for await (const turns of conversationsOf(store, signal)) {
    const [first] = turns;
    const shownId = first && shownIds.get(first.conversation);
    if (first === undefined || shownId === undefined) continue;
    const passage = passageIn(turns, shownId, sought);
    if (passage) passages.set(first.conversation, passage);
  }
  const found = entries.map((entry): Found => ({ entry, passage: passages.get(entry.id) ?? null }));
  const isNamed = ({ title, name }: ConversationEntry) =>
    [title, name ?? ''].some((text) => findFolded(text, sought) !== undefined);
  return found.filter(({ entry, passage }) => passage !== null || isNamed(entry));
}

/** The turns of each conversation, one conversation after the other: first those in memory, which may not be written yet. */
async function* conversationsOf(
  store: ConversationStore,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly TurnRow[]> {
  const open = store.openTurns();
  yield* open.values();
  let gathered: TurnRow[] = [];
  for await (const row of writtenTurns(store, signal)) {
    if (open.has(row.conversation)) continue;
    if (gathered.length > 0 && gathered[0]?.conversation !== row.conversation) {
      yield gathered;
      gathered = [];
    }
    gathered.push(row);
  }
  yield gathered;
}

async function* writtenTurns(store: ConversationStore, signal: AbortSignal | undefined): AsyncGenerator<TurnRow> {
  let count = minTurns;
  let asked = store.readTurnsAfter(undefined, count);
  for (;;) {
    const { rows, last } = await asked;
    signal?.throwIfAborted();
    if (last !== undefined) {
      const characters = rows.reduce((sum, { turn }) => sum + turn.question.length + turn.reply.length, 1);
      count = Math.min(Math.max(Math.floor((rows.length * batchCharacters) / characters), minTurns), maxTurns);
      // The database reads on while these are looked through.
      asked = store.readTurnsAfter(last, count);
      // Nobody waits for it where the search is called off.
      asked.catch(() => {});
    }
    yield* rows;
    if (last === undefined) return;
  }
}

/** The first place in these turns of one conversation, what is shown of them first. */
function passageIn(rows: readonly TurnRow[], shownId: string | null, sought: string): Passage | undefined {
  const turns = turnsOf(rows);
  for (const { id, question, reply } of new Set([...shownPath({ turns, shownId }), ...turns])) {
    for (const text of [question, withoutMarks(reply)]) {
      const place = findFolded(text, sought);
      if (place) return { ...passageAround(text, place), turnId: id };
    }
  }
  return undefined;
}

const charactersBefore = 40;
const charactersAfter = 80;

/** What stands around a match in `text`, on one line and cut between words, with `…` where something is left out. */
export function passageAround(text: string, { start, end }: { start: number; end: number }): Omit<Passage, 'turnId'> {
  const earlier = oneLine(text.slice(Math.max(0, start - 4 * charactersBefore), start));
  const later = oneLine(text.slice(end, end + 4 * charactersAfter));
  const before = earlier.length > charactersBefore ? endOf(earlier) : earlier;
  const after = later.length > charactersAfter ? beginningOf(later) : later;
  return { before: before.trimStart(), match: oneLine(text.slice(start, end)), after: after.trimEnd() };
}

/** The last words of the text. A word that is longer than that is cut. */
function endOf(text: string): string {
  const end = wellFormed(text.slice(-charactersBefore));
  const gap = end.indexOf(' ');
  return `…${gap === -1 || gap === end.length - 1 ? end : end.slice(gap + 1)}`;
}

/** The first words of the text. */
function beginningOf(text: string): string {
  const beginning = wellFormed(text.slice(0, charactersAfter));
  const gap = beginning.lastIndexOf(' ');
  return `${gap <= 0 ? beginning : beginning.slice(0, gap)}…`;
}

/** Without half a character at either end. */
function wellFormed(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** What of a line is Markdown's: headings, quotations, bullets and numbers at its beginning. */
const lineMarks = /^[ \t]*(?:(?:#{1,6}|>|[-*+](?:[ \t]+\[[ xX]\])?|\d{1,9}[.)])[ \t]+)+/gm;

/** The fences of code, and the rule below the header of a table. */
const ruleLines = /^[ \t]*(?:(?:```|~~~).*|(?:\|[ \t]*)?:?---[-:| \t]*)$/gm;

const links = /!?\[([^\][\n]*)\]\([^()\s]*(?:[ \t]+"[^"\n]*")?\)/g;
const cells = /^[ \t]*\|.*\|[ \t]*$/gm;
const strong = /\*\*|__|~~|`+/g;
const emphasis = /(?<![\p{L}\p{N}*_])([*_])(?=\S)([^*_\n]*\S)\1(?![\p{L}\p{N}*_])/gu;

const formulas = /\$\$[^$]+\$\$|\$[^$\n]*\\[^$\n]*\$|\\\[(?:[^\\]|\\[^[\]])+\\\]|\\\((?:[^\\\n]|\\[^()\n])+\\\)/g;
const fraction = /\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g;

/** A formula about as it is read: `\frac{a}{b}` is `a/b`, `\lambda` is `lambda`. */
function withoutTex(formula: string): string {
  return formula
    .replace(fraction, '$1/$2')
    .replace(/\\([A-Za-z]+)/g, '$1')
    .replace(/\\[()[\]]|[\\${}]/g, '');
}

/** A reply about as it is read: without the marks of Markdown between its words. */
export function withoutMarks(markdown: string): string {
  return markdown
    .replace(formulas, withoutTex)
    .replace(ruleLines, '')
    .replace(lineMarks, '')
    .replace(links, '$1')
    .replace(cells, (row) => row.replaceAll('|', ' '))
    .replace(strong, '')
    .replace(emphasis, '$2');
}
