const tasks: (() => Promise<unknown>)[] = [];

/** What keeps something from one file to the next closes it when all files have run, so that the process can end. */
export function atEndOfRun(task: () => Promise<unknown>): void {
  tasks.push(task);
}

/** Mocha calls this last. The processes of a parallel run are ended instead. */
export async function mochaGlobalTeardown(): Promise<void> {
  await Promise.all(tasks.map((task) => task()));
}
