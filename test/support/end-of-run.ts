import process from 'node:process';

const tasks: (() => Promise<unknown>)[] = [];

/** Registers a task that closes a resource shared by several test files, so that the process can end after the last one. */
export function atEndOfRun(task: () => Promise<unknown>): void {
  tasks.push(task);
}

const exitTimeoutMilliseconds = 30_000;

/** Mocha calls this hook last, but terminates the worker processes of a parallel run without calling it. */
export async function mochaGlobalTeardown(): Promise<void> {
  setTimeout(exitWithOpenResources, exitTimeoutMilliseconds).unref();
  await Promise.all(tasks.map((task) => task()));
}

/**
 * Ends a process that a server, a process or a connection keeps alive. A failed test can have left it open: its error is
 * then the last output. If all tests passed, the open resource is the failure.
 */
function exitWithOpenResources(): void {
  // Mocha's own listener, which was added earlier, has set the exit code to the number of failures.
  process.on('exit', () => {
    if (process.exitCode) return;
    process.stderr.write(
      `All tests passed, but open resources keep the process alive: ${process.getActiveResourcesInfo()}\n`,
    );
    process.exitCode = 1;
  });
  process.exit();
}
