import type { Mark } from './reading-place.ts';

/**
 * Finds what stays where it is while the page changes: a control in `log` that has the keyboard's focus and is uncovered,
 * or else the first line of text in the window, between the header and `dock`.
 */
export function createMarkFinder(log: HTMLElement, dock: HTMLElement) {
  let clear: Element | undefined;

  return {
    find(): Mark | undefined {
      const focused = document.activeElement ?? document.body;
      clear = log.contains(focused) && isMarked(focused) && isClear(focused) ? focused : undefined;
      const mark =
        clear === undefined
          ? firstLine(log, headerBottom() + findBarHeight(), dock.getBoundingClientRect().top)
          : controlMark(clear);
      return mark && belowFindBar(mark);
    },

    /** Where the window has become lower, the control with the focus that was uncovered stays so. */
    keepFocusClear(): void {
      if (clear !== undefined && clear === document.activeElement && !isClear(clear)) {
        clear.scrollIntoView({ block: 'nearest', behavior: 'instant' });
      }
    },
  };
}

function controlMark(control: Element): Mark {
  return { top: () => (control.isConnected ? control.getBoundingClientRect().top : undefined) };
}

/** Where the window begins for the reader: below the header, which stays at the top on all but low screens. */
function headerBottom(): number {
  return Math.max(0, document.querySelector('.header')?.getBoundingClientRect().bottom ?? 0);
}

/** The find bar moves what is below it: the position of a mark is measured from the bar, so that the page does not scroll back. */
function belowFindBar(mark: Mark): Mark {
  return {
    top() {
      const top = mark.top();
      return top === undefined ? undefined : top - findBarHeight();
    },
  };
}

function findBarHeight(): number {
  return document.querySelector<HTMLElement>('.find-bar')?.offsetHeight ?? 0;
}

/** Whether the focus shows on `element`: it came by the keyboard, and to a control. */
function isMarked(element: Element): boolean {
  return element.matches(':focus-visible:not([tabindex="-1"])');
}

/** Whether the whole of `element` stands where the browser scrolls to what gets the focus, give or take part of a pixel. */
function isClear(element: Element): boolean {
  const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(document.documentElement);
  const { top, bottom } = element.getBoundingClientRect();
  const first = Number.parseFloat(scrollPaddingTop) - 1;
  const last = window.innerHeight - Number.parseFloat(scrollPaddingBottom) + 1;
  return top >= first && bottom <= last;
}

/** So many characters tell one line from others. */
const knownCharacters = 60;

/** With more children than this it pays to look for the first one by halves. */
const manyChildren = 16;

/** So many lines are looked at for one that will be found again. */
const maxLines = 8;

/**
 * What is written for the reader alone who has not got Markdown yet: the fence of code, the name of a quotation, the address of a
 * link, and a formula with what comes after it, because nobody can say where it ends.
 */
const sourceOnly = /^\s*(?:```|~~~).*|\[!\w+\]|\b[a-z]+:\/\/[^\s)]*|[\\$].*/gsu;

/**
 * The first line of text in `flow` whose top is between `top` and `bottom`, in pixels from the top of the window. A line that
 * is gone as soon as the reply is shown as Markdown gives way to one below it.
 */
function firstLine(flow: Element, top: number, bottom: number): Mark | undefined {
  const first = firstPlace(flow, top, bottom);
  let place = first;
  for (let lines = 1; lines < maxLines && place !== undefined && isSourceOnly(place); lines += 1) {
    const below = (topOf(place) ?? bottom) + 2;
    place = firstPlace(flow, below, bottom);
  }
  const best = place ?? first;
  return best && lineAt(best, flow);
}

function isSourceOnly(place: TextPlace): boolean {
  const [line = ''] = textAt(place).split('\n', 1);
  return wordsOf(line).length === 0;
}

/** Stays the same line while its paragraph is wrapped anew, and is found by its words where its element is replaced. */
function lineAt(first: TextPlace, flow: Element): Mark {
  const homes = homesOf(first.node, flow);
  let place = first;
  let text = textAt(place);
  let lastTop = topOf(place);

  return {
    top() {
      const isThere = place.node.isConnected && place.node.data.startsWith(text, place.offset);
      const found = isThere ? place : again(first, homes, lastTop);
      if (found === undefined) return undefined;
      if (found !== place) text = textAt(found);
      place = found;
      lastTop = topOf(found);
      return lastTop;
    },
  };
}

function textAt({ node, offset }: TextPlace): string {
  return node.data.slice(offset, offset + knownCharacters);
}

/**
 * Where what stood at `place` stands now, in the smallest of `homes` that has it. Of several places there, the one that has as many
 * before and after it as `place` had, or else the one nearest to `top`.
 */
function again(place: TextPlace, homes: readonly Element[], top = 0): TextPlace | undefined {
  const { node, offset } = place;
  const words = wordsOf(textAt(place));
  for (const home of homes) {
    const { pattern, places } = home.isConnected ? findWords(home, words) : nothingFound;
    const [first, ...others] = places;
    if (first === undefined || pattern === undefined) continue;
    const starts = startsOf(pattern, node.data);
    if (starts.length === places.length) return places[starts.findIndex((start) => start >= offset)] ?? first;
    return others.reduce((a, b) => (distance(b, top) < distance(a, top) ? b : a), first);
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
    } else if (node instanceof HTMLElement && !node.matches('button, [role=status], thead')) {
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

type TextPlace = { node: Text; offset: number };

/** So many words first, and fewer where those are not found: marks of Markdown may have stood between them. */
const wordCounts = [8, 4, 2, 1];

/** The number of an item of a list, which is no text once the list is shown as one. */
const itemNumber = /^\s*\d+[.)]\s+/;

/** The words in `text` that are still there when it is shown as Markdown. */
function wordsOf(text: string): string[] {
  return (
    text
      .replace(itemNumber, '')
      .replace(sourceOnly, ' ')
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

const nothingFound = { pattern: undefined, places: [] };

/** Every place in `home` where the first of `words` stand, whatever stands between them, and what finds as many. */
function findWords(home: Element, words: readonly string[]): { pattern: RegExp | undefined; places: TextPlace[] } {
  const nodes = textNodesIn(home);
  const whole = nodes.map(({ data }) => data).join('\n');
  for (const count of words.length === 0 ? [] : wordCounts) {
    const pattern = new RegExp(words.slice(0, count).join('[^\\p{L}\\p{M}\\p{N}]+'), 'gu');
    const places = startsOf(pattern, whole).flatMap((start) => placeAt(nodes, start) ?? []);
    if (places.length > 0) return { pattern, places };
  }
  return nothingFound;
}

function startsOf(pattern: RegExp, text: string): number[] {
  return Array.from(text.matchAll(pattern), ({ index }) => index);
}

function placeAt(nodes: readonly Text[], position: number): TextPlace | undefined {
  let start = 0;
  for (const node of nodes) {
    const end = start + node.length;
    if (position < end) return { node, offset: position - start };
    start = end + 1;
  }
  return undefined;
}

function textNodesIn(home: Element): Text[] {
  const walker = document.createTreeWalker(home, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node instanceof Text) nodes.push(node);
  }
  return nodes;
}
