import type { Inline } from './nodes.ts';

/** The nodes of each line, where a text has line breaks. What goes over a break is in both lines. */
export function inlineLines(nodes: readonly Inline[]): Inline[][] {
  let line: Inline[] = [];
  const lines = [line];
  const next = () => {
    line = [];
    lines.push(line);
  };
  for (const node of nodes) {
    if (node.type === 'break') next();
    else if (!('children' in node)) line.push(node);
    else {
      for (const [index, children] of inlineLines(node.children).entries()) {
        if (index > 0) next();
        if (children.length > 0) line.push({ ...node, children });
      }
    }
  }
  return lines;
}
