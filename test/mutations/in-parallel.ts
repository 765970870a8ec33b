/** Does `work` for each item, for as many as `jobs` at a time, and gives the results in the items' order. */
export async function inParallel<T, R>(jobs: number, items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return results;
}
