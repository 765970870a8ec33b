/** Runs `run` for each item, at most `jobs` at a time: a case mostly waits, but a busy process would measure its waits too late. */
export async function runConcurrently<Item, Value>(
  items: readonly Item[],
  jobs: number,
  run: (item: Item, index: number) => Promise<[string, Value]>,
): Promise<ReadonlyMap<string, Value>> {
  const results: [string, Value][] = [];
  const remaining = items.entries();
  const work = async () => {
    for (const [index, item] of remaining) results.push(await run(item, index));
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return new Map(results);
}
