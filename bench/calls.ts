import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { root } from '../test/support/served-process.ts';

/** Returns milliseconds on the monotonic clock, which all processes share on Linux, so their times can be compared. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export type CallableFunctions = Record<string, (argument: never) => unknown>;

type Call = { id: number; name: string; argument: unknown };
type CallResult = { id: number; result: unknown };

/** Serves calls from the parent process over IPC, and exits when the parent disconnects. */
export function serveCalls(functions: CallableFunctions): void {
  process.on('message', async ({ id, name, argument }: Call) => {
    process.send?.({ id, result: await functions[name]?.(argument as never) });
  });
  process.once('disconnect', () => process.exit(1));
}

type Options = {
  /** The environment variables of the child in addition to PATH. */
  variables?: Record<string, string>;
  nodeOptions?: readonly string[];
  /** A file descriptor for the standard output, which is discarded by default. */
  output?: number;
};

export function startProcess<C extends CallableFunctions>(module: string, options: Options = {}) {
  const { variables = {}, nodeOptions = [], output = 'ignore' } = options;
  const child = spawn(process.execPath, [...nodeOptions, module], {
    cwd: root,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...variables },
    stdio: ['ignore', output, 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;

  child.on('message', ({ id, result }: CallResult) => {
    pending.get(id)?.resolve(result);
    pending.delete(id);
  });
  const exited = once(child, 'exit').then(([code, signal]) => {
    for (const result of pending.values()) result.reject(new Error(`${module} ended (${code ?? signal}).`));
  });

  return {
    get isRunning() {
      return child.exitCode === null && child.signalCode === null;
    },

    call<K extends keyof C & string>(name: K, ...[argument]: Parameters<C[K]>): Promise<Awaited<ReturnType<C[K]>>> {
      lastId += 1;
      const call: Call = { id: lastId, name, argument };
      const result = Promise.withResolvers<unknown>();
      pending.set(call.id, result);
      child.send(call);
      return result.promise as Promise<Awaited<ReturnType<C[K]>>>;
    },

    async stop(): Promise<void> {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
