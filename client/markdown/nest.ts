import type { Token } from 'markdown-it';

export type Nested = { token: Token; children: Nested[] };

/** Turns the parser's flat list, in which tokens open and close, into a tree. */
export function nest(tokens: readonly Token[]): Nested[] {
  const top: Nested[] = [];
  const open = [top];
  for (const token of tokens) {
    if (token.nesting === -1) {
      open.pop();
      continue;
    }
    const node: Nested = { token, children: [] };
    open.at(-1)?.push(node);
    if (token.nesting === 1) open.push(node.children);
  }
  return top;
}
