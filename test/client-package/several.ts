/** Runs `jobs` at once, because most of the time of a case is waits, but not all, because a busy process would be late. */
export async function several<Item, Value>(
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
