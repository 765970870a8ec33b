import type { ScrollAnchor } from './scroll-anchoring.ts';

/** The anchor is an uncovered control with visible keyboard focus, or else the first line between header and `dock`. */
export function createAnchorFinder(log: HTMLElement, dock: HTMLElement) {
  let uncovered: Element | undefined;

  return {
    find(): ScrollAnchor | undefined {
      const focused = document.activeElement ?? document.body;
      uncovered = log.contains(focused) && hasVisibleFocus(focused) && isUncovered(focused) ? focused : undefined;
      return uncovered === undefined
        ? firstLineAnchor(log, headerBottom(), dock.getBoundingClientRect().top)
        : controlAnchor(uncovered);
    },

    /** Scrolls the focused control back into view if a shorter window hides it. */
    revealFocusedControl(): void {
      if (uncovered !== undefined && uncovered === document.activeElement && !isUncovered(uncovered)) {
        uncovered.scrollIntoView({ block: 'nearest', behavior: 'instant' });
      }
    },
  };
}

function controlAnchor(control: Element): ScrollAnchor {
  return { top: () => (control.isConnected ? control.getBoundingClientRect().top : undefined) };
}

/** The header is sticky except on short screens, so the readable area starts below it. */
function headerBottom(): number {
  return Math.max(0, document.querySelector('.header')?.getBoundingClientRect().bottom ?? 0);
}

/** A control that expands text does not count: the text would grow upwards. */
function hasVisibleFocus(element: Element): boolean {
  return element.matches(':focus-visible:not([tabindex="-1"], [aria-expanded])');
}

/** Returns whether `element` is within the scroll padding, to within a pixel. */
function isUncovered(element: Element): boolean {
  const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(document.documentElement);
  const { top, bottom } = element.getBoundingClientRect();
  const first = Number.parseFloat(scrollPaddingTop) - 1;
  const last = window.innerHeight - Number.parseFloat(scrollPaddingBottom) + 1;
  return top >= first && bottom <= last;
}

/** Enough characters to tell one line from the others. */
const signatureCharacters = 60;

/** From this many children on, a binary search for the first visible one is faster. */
const minChildrenToBisect = 16;

/** At most this many lines are searched for one that survives the rendering as Markdown. */
const maxLines = 8;

/**
 * Source text that disappears once Markdown is rendered: the marker of a callout, a link's URL, and a code fence or the start of a
 * formula, each with everything after it.
 */
const sourceOnly = /^\s*(?:```|~~~).*|\[!\w+\]|\b[a-z]+:\/\/[^\s)]*|[\\$].*/gsu;

/**
 * Returns the first line of text in `flow` with its top between `top` and `bottom` (pixels from the top of the window). A line that
 * will disappear once the reply is rendered as Markdown gives way to a later one.
 */
function firstLineAnchor(flow: Element, top: number, bottom: number): ScrollAnchor | undefined {
  const first = firstPositionIn(flow, top, bottom);
  let position = first;
  for (let lines = 1; lines < maxLines && position !== undefined && isSourceOnly(position); lines += 1) {
    const below = (topOf(position) ?? bottom) + 2;
    position = firstPositionIn(flow, below, bottom);
  }
  const best = position ?? first;
  return best && lineAnchor(best);
}

function isSourceOnly(position: TextPosition): boolean {
  const [line = ''] = textAt(position).split('\n', 1);
  return wordsOf(line).length === 0;
}

/** Follows the line when the text rewraps, and finds it by its words and place once its node has been replaced. */
function lineAnchor(first: TextPosition): ScrollAnchor {
  const turn = first.node.parentElement?.closest('[data-turn]') ?? undefined;
  const place = turn && placeOf(first, turn);
  const words = wordsOf(textAt(first));
  let position = first;
  let text = textAt(position);

  return {
    top() {
      if (!position.node.isConnected || !position.node.data.startsWith(text, position.offset)) {
        const found = turn && place && positionNear(place, turn, words);
        if (found === undefined) return undefined;
        position = found;
        text = textAt(found);
      }
      return topOf(position);
    },
  };
}

function textAt({ node, offset }: TextPosition): string {
  return node.data.slice(offset, offset + signatureCharacters);
}

/**
 * A place in a turn that survives another rendering: the offset in the source of the reply at which its block starts, or -1 in the
 * question, and the offset in the text from there on.
 */
type Place = { start: number; offset: number };

const questionStart = -1;

/** Returns the place of the first line below the header in `turn`, and its distance from the top of the window in pixels. */
export function firstPlaceIn(turn: Element): { place: Place; top: number } | undefined {
  const position = firstPositionIn(turn, headerBottom(), window.innerHeight);
  const top = position && topOf(position);
  const place = position && placeOf(position, turn);
  return place && top !== undefined ? { place, top } : undefined;
}

/** Returns the distance of the line at `place` from the top of the window in pixels; undefined if the turn has no such text. */
export function topOfPlace(place: Place, turn: Element): number | undefined {
  const position = positionAt(place, turn);
  return position && topOf(position);
}

/** Returns undefined for text outside the question and the reply. */
function placeOf({ node, offset }: TextPosition, turn: Element): Place | undefined {
  const blocks = blocksIn(turn);
  const block = blocks[firstIndex(blocks.length, (index) => !isFollowedBy(blocks[index], node)) - 1];
  if (block === undefined && node.parentElement?.closest('.question') == null) return undefined;
  if (block !== undefined && node.parentElement?.closest('.reply') == null) return undefined;
  const texts = textNodesIn(turn, block, node);
  const before = texts.reduce((sum, { length }) => sum + length, 0);
  return isSource(block)
    ? { start: startOf(block) + before + offset, offset: 0 }
    : { start: startOf(block), offset: before + offset };
}

/** Returns whether `block` shows text that is not rendered as Markdown yet, so that an offset in it is one in the source. */
function isSource(block: HTMLElement | undefined): boolean {
  return block?.matches('.plain') ?? false;
}

function blocksIn(turn: Element): HTMLElement[] {
  return [...turn.querySelectorAll<HTMLElement>('[data-start]')];
}

function startOf(block: HTMLElement | undefined): number {
  return block === undefined ? questionStart : Number(block.dataset.start);
}

function isFollowedBy(node: Node | undefined, other: Node): boolean {
  return node !== undefined && (node.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

/** Returns the text nodes in `ancestor` from the element `start` on, up to `end`; without these, all of them. */
export function textNodesIn(ancestor: Element, start: Element = ancestor, end?: Node): Text[] {
  const walker = document.createTreeWalker(ancestor, NodeFilter.SHOW_TEXT);
  walker.currentNode = start;
  const texts: Text[] = [];
  for (let node = walker.nextNode(); node !== null && node !== end; node = walker.nextNode()) {
    if (isFollowedBy(end, node)) break;
    if (node instanceof Text) texts.push(node);
  }
  return texts;
}

/** Returns the text nodes of the block at `place`, and the offset of `place` from its start. */
function blockAt({ start, offset }: Place, turn: Element): { texts: Text[]; offset: number } {
  const blocks = blocksIn(turn);
  const index = blocks.findLastIndex((block) => startOf(block) <= start);
  const block = blocks[index];
  if (block === undefined && start !== questionStart) return { texts: [], offset };
  return { texts: textNodesIn(turn, block, blocks[index + 1]), offset: start - startOf(block) + offset };
}

function positionAt(place: Place, turn: Element): TextPosition | undefined {
  const { texts, offset } = blockAt(place, turn);
  let start = 0;
  for (const node of texts) {
    if (offset < start + node.length) return { node, offset: offset - start };
    start += node.length;
  }
  const last = texts.at(-1);
  return last && { node: last, offset: Math.max(0, last.length - 1) };
}

/** Returns the occurrence of `words` in the block at `place` that is nearest to it: Markdown syntax shifts the offsets. */
function positionNear(place: Place, turn: Element, words: readonly string[]): TextPosition | undefined {
  const { texts, offset } = blockAt(place, turn);
  const found = findWords(texts, words);
  const [nearest] = found.sort((a, b) => Math.abs(a.textOffset - offset) - Math.abs(b.textOffset - offset));
  return nearest?.position;
}

function firstPositionIn(parent: Element, top: number, bottom: number): TextPosition | undefined {
  const { childNodes, children } = parent;
  const isPlain = childNodes.length === children.length;
  for (let index = isPlain ? firstChildBelow(children, top) : 0; index < childNodes.length; index += 1) {
    const node = childNodes[index];
    if (node instanceof Text) {
      const position = firstPositionInText(node, top, bottom);
      if (position !== undefined) return position;
    } else if (node instanceof HTMLElement && !node.matches('button, [role=status], thead, [data-unfinished]')) {
      const box = node.getBoundingClientRect();
      if (box.top >= bottom && isPlain) return undefined;
      const position = box.bottom <= top ? undefined : firstPositionIn(node, top, bottom);
      if (position !== undefined) return position;
    }
  }
  return undefined;
}

/** Returns the index of the first child that extends below `top`. Requires children that are stacked vertically. */
function firstChildBelow(children: HTMLCollection, top: number): number {
  if (children.length < minChildrenToBisect) return 0;
  return firstIndex(children.length, (index) => (children[index]?.getBoundingClientRect().bottom ?? 0) > top);
}

function firstPositionInText(node: Text, top: number, bottom: number): TextPosition | undefined {
  const range = document.createRange();
  range.selectNodeContents(node);
  const line = Array.from(range.getClientRects()).find((box) => box.top >= top - 1 && box.width > 0);
  if (line === undefined || line.top >= bottom) return undefined;
  const onLine = (offset: number) => (topOf({ node, offset }) ?? Number.NEGATIVE_INFINITY) >= line.top - 1;
  const first = firstIndex(node.length, onLine);
  const offset = first + node.data.slice(first).search(/\S/);
  return offset < first || offset >= node.length ? undefined : { node, offset };
}

function topOf({ node, offset }: TextPosition): number | undefined {
  const range = document.createRange();
  range.setStart(node, offset);
  range.setEnd(node, Math.min(offset + 1, node.length));
  return range.getClientRects()[0]?.top;
}

/** Returns the first of `count` indexes for which `isReached` is true, by binary search; `count` if there is none. */
function firstIndex(count: number, isReached: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isReached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

type TextPosition = { node: Text; offset: number };

/** The search starts with 8 words and tries fewer if they do not occur: Markdown syntax may have stood between them. */
const wordCounts = [8, 4, 2, 1];

/** The number of a list item, which is not text once the list is rendered. */
const itemNumber = /^\s*\d+[.)]\s+/;

/** Returns the words of `text` that survive its rendering as Markdown. */
function wordsOf(text: string): string[] {
  return (
    text
      .replace(itemNumber, '')
      .replace(sourceOnly, ' ')
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

type Match = { position: TextPosition; textOffset: number };

/** Allows anything but letters and digits between the words. */
function findWords(texts: readonly Text[], words: readonly string[]): Match[] {
  // The separator keeps words of neighboring cells apart, and `matchAt` does not count it.
  const text = texts.map(({ data }) => data).join('\n');
  for (const count of words.length === 0 ? [] : wordCounts) {
    const pattern = new RegExp(words.slice(0, count).join('[^\\p{L}\\p{M}\\p{N}]+'), 'gu');
    const matches = Array.from(text.matchAll(pattern)).flatMap(({ index }) => matchAt(texts, index) ?? []);
    if (matches.length > 0) return matches;
  }
  return [];
}

function matchAt(texts: readonly Text[], index: number): Match | undefined {
  let start = 0;
  for (const [separators, node] of texts.entries()) {
    const end = start + node.length;
    if (index < end) return { position: { node, offset: index - start }, textOffset: index - separators };
    start = end + 1;
  }
  return undefined;
}
