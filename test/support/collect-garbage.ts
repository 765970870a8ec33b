/** Runs in a page: allocates so much that every engine collects its garbage. */
export function collectGarbage(): number {
  let kept: unknown[] = [];
  for (let count = 0; count < 40; count += 1) kept = [new Array(100_000).fill({}), kept.length];
  return kept.length;
}
