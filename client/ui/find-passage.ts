/** Where `text` first stands in `home`, whatever its case, also across emphasis and the like; undefined where it does not. */
export function findPassage(home: Element, text: string): Range | undefined {
  const walker = document.createTreeWalker(home, NodeFilter.SHOW_TEXT);
  const nodes: { node: Node; start: number }[] = [];
  let whole = '';
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    nodes.push({ node, start: whole.length });
    whole += node.nodeValue ?? '';
  }
  const sought = text.replace(/\s+/g, ' ').trim();
  const pattern = new RegExp(sought.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '\\s+'), 'iu');
  const match = sought === '' ? null : pattern.exec(whole);
  if (match === null) return undefined;

  const placeOf = (position: number) => {
    const last = nodes.findLast(({ start }) => start <= position);
    return last && { node: last.node, offset: position - last.start };
  };
  const [start, end] = [placeOf(match.index), placeOf(match.index + match[0].length)];
  if (!start || !end) return undefined;
  const range = document.createRange();
  range.setStart(start.node, start.offset);
  range.setEnd(end.node, end.offset);
  return range;
}
