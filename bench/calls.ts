import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { root } from '../test/support/served-process.ts';

/** Milliseconds on the machine's monotonic clock, which on Linux all processes share: times taken in two of them compare. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** What a process of the rig does when it is asked. */
export type Calls = Record<string, (argument: never) => unknown>;

type Call = { id: number; name: string; argument: unknown };
type Answer = { id: number; result: unknown };

/** Answers what the process that started this one asks over their channel, and ends with it. */
export function answerCalls(calls: Calls): void {
  process.on('message', async ({ id, name, argument }: Call) => {
    process.send?.({ id, result: await calls[name]?.(argument as never) });
  });
  process.once('disconnect', () => process.exit(1));
}

type Options = {
  /** Everything in its environment but PATH. */
  variables?: Record<string, string>;
  /** Options of Node itself. */
  nodeOptions?: readonly string[];
  /** A file descriptor for its standard output; by default what it prints is dropped. */
  output?: number;
};

/** Runs a module, named by its path in the project, in a process of its own that answers calls. */
export function startProcess<C extends Calls>(module: string, options: Options = {}) {
  const { variables = {}, nodeOptions = [], output = 'ignore' } = options;
  const child = spawn(process.execPath, [...nodeOptions, module], {
    cwd: root,
    env: { PATH: process.env.PATH, ...variables },
    stdio: ['ignore', output, 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;

  child.on('message', ({ id, result }: Answer) => {
    waiting.get(id)?.resolve(result);
    waiting.delete(id);
  });
  const exited = once(child, 'exit').then(([code, signal]) => {
    for (const asked of waiting.values()) asked.reject(new Error(`${module} ended (${code ?? signal}).`));
  });

  return {
    get running() {
      return child.exitCode === null && child.signalCode === null;
    },

    call<K extends keyof C & string>(name: K, ...[argument]: Parameters<C[K]>): Promise<Awaited<ReturnType<C[K]>>> {
      calls += 1;
      const call: Call = { id: calls, name, argument };
      const asked = Promise.withResolvers<unknown>();
      waiting.set(call.id, asked);
      child.send(call);
      return asked.promise as Promise<Awaited<ReturnType<C[K]>>>;
    },

    async stop(): Promise<void> {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
