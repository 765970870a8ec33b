import process from 'node:process';

const tasks: (() => Promise<unknown>)[] = [];

/** Registers a task that closes a resource shared by several test files, so that the process can end after the last one. */
export function atEndOfRun(task: () => Promise<unknown>): void {
  tasks.push(task);
}

const exitTimeoutMilliseconds = 30_000;

/** Mocha calls this hook last, but terminates the worker processes of a parallel run without calling it. */
export async function mochaGlobalTeardown(): Promise<void> {
  setTimeout(failWithOpenResources, exitTimeoutMilliseconds).unref();
  await Promise.all(tasks.map((task) => task()));
}

/** A failed test can leave a server, a process or a connection open, which would keep the process alive. */
function failWithOpenResources(): void {
  process.stderr.write(
    `All tests have run, but open resources keep the process alive: ${process.getActiveResourcesInfo()}\n`,
  );
  // Mocha's own listener sets the exit code to the number of failures, which can be 0.
  process.on('exit', () => {
    process.exitCode ||= 1;
  });
  process.exit();
}
