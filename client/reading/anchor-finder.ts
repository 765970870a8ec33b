import type { ScrollAnchor } from './scroll-anchoring.ts';

/** The anchor is an uncovered control with visible keyboard focus, or else the first line between header and `dock`. */
export function createAnchorFinder(log: HTMLElement, dock: HTMLElement) {
  let uncovered: Element | undefined;

  return {
    find(): ScrollAnchor | undefined {
      const focused = document.activeElement ?? document.body;
      uncovered = log.contains(focused) && hasVisibleFocus(focused) && isUncovered(focused) ? focused : undefined;
      return uncovered === undefined
        ? firstLine(log, headerBottom(), dock.getBoundingClientRect().top)
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

/** How many lines are considered, to find one that survives the rendering as Markdown. */
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
function firstLine(flow: Element, top: number, bottom: number): ScrollAnchor | undefined {
  const first = firstPositionIn(flow, top, bottom);
  let position = first;
  for (let lines = 1; lines < maxLines && position !== undefined && isSourceOnly(position); lines += 1) {
    const below = (topOf(position) ?? bottom) + 2;
    position = firstPositionIn(flow, below, bottom);
  }
  const best = position ?? first;
  return best && lineAt(best, flow);
}

function isSourceOnly(position: TextPosition): boolean {
  const [line = ''] = textAt(position).split('\n', 1);
  return wordsOf(line).length === 0;
}

/** Follows the line through rewrapping, and finds it by its words after its element was replaced. */
function lineAt(first: TextPosition, flow: Element): ScrollAnchor {
  const ancestors = ancestorsOf(first.node, flow);
  let position = first;
  let text = textAt(position);
  let lastTop = topOf(position);

  return {
    top() {
      const isUnchanged = position.node.isConnected && position.node.data.startsWith(text, position.offset);
      const found = isUnchanged ? position : findAgain(first, ancestors, lastTop);
      if (found === undefined) return undefined;
      if (found !== position) text = textAt(found);
      position = found;
      lastTop = topOf(found);
      return lastTop;
    },
  };
}

function textAt({ node, offset }: TextPosition): string {
  return node.data.slice(offset, offset + signatureCharacters);
}

/**
 * Returns the current position of the text that was at `position`, in the smallest of `ancestors` that contains it. Of several
 * matches, takes the one with the same ordinal as `position`, or else the one nearest to `top`.
 */
function findAgain(position: TextPosition, ancestors: readonly Element[], top = 0): TextPosition | undefined {
  const { node, offset } = position;
  const words = wordsOf(textAt(position));
  for (const ancestor of ancestors) {
    const { pattern, positions } = ancestor.isConnected ? findWords(ancestor, words) : noMatch;
    const [first, ...others] = positions;
    if (first === undefined || pattern === undefined) continue;
    const starts = startsOf(pattern, node.data);
    if (starts.length === positions.length) return positions[starts.findIndex((start) => start >= offset)] ?? first;
    return others.reduce((a, b) => (distance(b, top) < distance(a, top) ? b : a), first);
  }
  return undefined;
}

function distance(position: TextPosition, top: number): number {
  return Math.abs((topOf(position) ?? Number.POSITIVE_INFINITY) - top);
}

function ancestorsOf(node: Node, flow: Element): Element[] {
  const ancestors: Element[] = [];
  for (let ancestor = node.parentElement; ancestor !== null && ancestor !== flow; ancestor = ancestor.parentElement)
    ancestors.push(ancestor);
  return ancestors;
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

const noMatch = { pattern: undefined, positions: [] };

/** Allows anything but letters and digits between the words. Also returns the pattern that matched. */
function findWords(
  ancestor: Element,
  words: readonly string[],
): { pattern: RegExp | undefined; positions: TextPosition[] } {
  const nodes = textNodesIn(ancestor);
  const text = nodes.map(({ data }) => data).join('\n');
  for (const count of words.length === 0 ? [] : wordCounts) {
    const pattern = new RegExp(words.slice(0, count).join('[^\\p{L}\\p{M}\\p{N}]+'), 'gu');
    const positions = startsOf(pattern, text).flatMap((start) => positionAt(nodes, start) ?? []);
    if (positions.length > 0) return { pattern, positions };
  }
  return noMatch;
}

function startsOf(pattern: RegExp, text: string): number[] {
  return Array.from(text.matchAll(pattern), ({ index }) => index);
}

function positionAt(nodes: readonly Text[], position: number): TextPosition | undefined {
  let start = 0;
  for (const node of nodes) {
    const end = start + node.length;
    if (position < end) return { node, offset: position - start };
    start = end + 1;
  }
  return undefined;
}

export function textNodesIn(ancestor: Element): Text[] {
  const walker = document.createTreeWalker(ancestor, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node instanceof Text) nodes.push(node);
  }
  return nodes;
}
