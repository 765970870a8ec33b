import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

export const run = promisify(execFile);

const startMilliseconds = 20_000;
const stopMilliseconds = 20_000;

/** Manages an installed server program that can be started, stopped by a signal and restarted. */
export function createServerProcess(options: {
  command: string;
  parameters: readonly string[];
  spawning: SpawnOptions;
  /** Rejects until the server accepts requests. */
  probe: () => Promise<unknown>;
}) {
  const { command, parameters, spawning, probe } = options;
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    child = spawn(command, parameters, { ...spawning, stdio: 'ignore' });
    const deadline = performance.now() + startMilliseconds;
    for (;;) {
      try {
        return void (await probe());
      } catch (error) {
        if (performance.now() > deadline || child.exitCode !== null) {
          throw new Error(`${command} does not start.`, { cause: error });
        }
        await delay(50);
      }
    }
  }

  return {
    start,
    signal(name: NodeJS.Signals): void {
      child?.kill(name);
    },
    async stop(name: NodeJS.Signals): Promise<void> {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit', { signal: AbortSignal.timeout(stopMilliseconds) });
      child.kill(name);
      await exited;
    },
    get pid(): number | undefined {
      return child?.pid;
    },
  };
}
