import { findWords, type TextPlace } from './find-words.ts';
import type { Mark } from './reading-place.ts';

/** So many characters tell one line from others. */
const knownCharacters = 60;

/** With more children than this it pays to look for the first one by halves. */
const manyChildren = 16;

/** So many lines are looked at for one that will be found again. */
const mostLines = 8;

/** What is written for the reader alone who has not got Markdown yet: the fence of code, a formula, a rule. */
const sourceOnly = /^[^\p{L}\p{N}]*$|^\s*(```|~~~)|[\\$]/u;

/**
 * The first line of text in `flow` whose top is between `top` and `bottom`, in pixels from the top of the window. A line that
 * is gone as soon as the reply is shown as Markdown gives way to one below it.
 */
export function firstLine(flow: Element, top: number, bottom: number): Mark | undefined {
  const first = firstPlace(flow, top, bottom);
  let place = first;
  for (let lines = 1; lines < mostLines && place !== undefined && isSourceOnly(place); lines += 1) {
    const below = (topOf(place) ?? bottom) + 2;
    place = firstPlace(flow, below, bottom);
  }
  const best = place ?? first;
  return best && lineAt(best, flow);
}

function isSourceOnly({ node, offset }: TextPlace): boolean {
  const [line = ''] = node.data.slice(offset, offset + knownCharacters).split('\n', 1);
  return sourceOnly.test(line);
}

/** Stays the same line while its paragraph is wrapped anew, and is found by its words where its element is replaced. */
function lineAt({ node, offset }: TextPlace, flow: Element): Mark {
  const text = node.data.slice(offset, offset + knownCharacters);
  const homes = homesOf(node, flow);
  let place = { node, offset };
  let lastTop = topOf(place);

  return {
    top() {
      const isThere = place.node.isConnected && place.node.data.startsWith(text, place.offset);
      const found = isThere ? place : again(text, homes, lastTop);
      if (found === undefined) return undefined;
      place = found;
      lastTop = topOf(found);
      return lastTop;
    },
  };
}

/** Where `text` stands now, in the smallest of `homes` that has it. Of several places there, the one nearest to `top`. */
function again(text: string, homes: readonly Element[], top = 0): TextPlace | undefined {
  for (const home of homes) {
    const [first, ...others] = home.isConnected ? findWords(home, text) : [];
    if (first !== undefined) return others.reduce((a, b) => (distance(b, top) < distance(a, top) ? b : a), first);
  }
  return undefined;
}

function distance(place: TextPlace, top: number): number {
  return Math.abs((topOf(place) ?? Number.POSITIVE_INFINITY) - top);
}

function homesOf(node: Node, flow: Element): Element[] {
  const homes: Element[] = [];
  for (let home = node.parentElement; home !== null && home !== flow; home = home.parentElement) homes.push(home);
  return homes;
}

function firstPlace(parent: Element, top: number, bottom: number): TextPlace | undefined {
  const { childNodes, children } = parent;
  const isPlain = childNodes.length === children.length;
  for (let index = isPlain ? firstChildBelow(children, top) : 0; index < childNodes.length; index += 1) {
    const node = childNodes[index];
    if (node instanceof Text) {
      const place = firstPlaceIn(node, top, bottom);
      if (place !== undefined) return place;
    } else if (node instanceof HTMLElement && !node.matches('button, [role=status]')) {
      const box = node.getBoundingClientRect();
      if (box.top >= bottom && isPlain) return undefined;
      const place = box.bottom <= top ? undefined : firstPlace(node, top, bottom);
      if (place !== undefined) return place;
    }
  }
  return undefined;
}

/** The index of the first child that reaches below `top`: children stand one below the other. */
function firstChildBelow(children: HTMLCollection, top: number): number {
  if (children.length < manyChildren) return 0;
  return firstIndex(children.length, (index) => (children[index]?.getBoundingClientRect().bottom ?? 0) > top);
}

function firstPlaceIn(node: Text, top: number, bottom: number): TextPlace | undefined {
  const range = document.createRange();
  range.selectNodeContents(node);
  const line = Array.from(range.getClientRects()).find((box) => box.top >= top - 1 && box.width > 0);
  if (line === undefined || line.top >= bottom) return undefined;
  const onLine = (offset: number) => (topOf({ node, offset }) ?? Number.NEGATIVE_INFINITY) >= line.top - 1;
  const first = firstIndex(node.length, onLine);
  const offset = first + node.data.slice(first).search(/\S/);
  return offset < first || offset >= node.length ? undefined : { node, offset };
}

function topOf({ node, offset }: TextPlace): number | undefined {
  const range = document.createRange();
  range.setStart(node, offset);
  range.setEnd(node, Math.min(offset + 1, node.length));
  return range.getClientRects()[0]?.top;
}

/** The first of `count` indexes from which on `isReached` is true, or `count`. */
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
