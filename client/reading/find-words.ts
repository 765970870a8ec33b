export type TextPlace = { node: Text; offset: number };

/** So many words first, and fewer where those are not found: marks of Markdown may have stood between them. */
const wordCounts = [8, 4, 2, 1];

/** The number of an item of a list, which is no text once the list is shown as one. */
const itemNumber = /^\s*\d+[.)]\s+/;

/** Every place in `home` where the first words of `text` stand, whatever stands between the words. */
export function findWords(home: Element, text: string): TextPlace[] {
  const words = text.replace(itemNumber, '').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const nodes = textNodesIn(home);
  const whole = nodes.map(({ data }) => data).join('\n');
  for (const count of wordCounts) {
    const starts = startsOf(words.slice(0, count), whole);
    if (starts.length > 0) return starts.flatMap((start) => placeAt(nodes, start) ?? []);
  }
  return [];
}

function startsOf(words: readonly string[], whole: string): number[] {
  if (words.length === 0) return [];
  const pattern = new RegExp(words.join('[^\\p{L}\\p{M}\\p{N}]+'), 'gu');
  return Array.from(whole.matchAll(pattern), ({ index }) => index);
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
