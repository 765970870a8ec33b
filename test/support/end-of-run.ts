import process from 'node:process';

const tasks: (() => Promise<unknown>)[] = [];

/** What keeps something from one file to the next closes it when all files have run, so that the process can end. */
export function atEndOfRun(task: () => Promise<unknown>): void {
  tasks.push(task);
}

const maxEndMilliseconds = 30_000;

/** Mocha calls this last. The processes of a parallel run are ended instead. */
export async function mochaGlobalTeardown(): Promise<void> {
  setTimeout(failUnended, maxEndMilliseconds).unref();
  await Promise.all(tasks.map((task) => task()));
}

/** A failed test can leave a server, a process or a connection open, which would keep the run from ending. */
function failUnended(): void {
  process.stderr.write(`The tests are over, but these keep the process alive: ${process.getActiveResourcesInfo()}\n`);
  // Mocha's own listener sets the number of failures, which may be 0.
  process.on('exit', () => {
    process.exitCode ||= 1;
  });
  process.exit();
}
