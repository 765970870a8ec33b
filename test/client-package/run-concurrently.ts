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

/** Runs `check` up to three times, until it finds the expected difference, by default none: a busy machine delays clients. */
export async function checkRepeatedly(
  check: () => Promise<string | null>,
  isExpected: (difference: string | null) => boolean = (difference) => difference === null,
): Promise<string | null> {
  let difference = await check();
  for (let repeats = 2; repeats > 0 && !isExpected(difference); repeats -= 1) difference = await check();
  return difference;
}
