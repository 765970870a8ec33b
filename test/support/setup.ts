import { Socket } from 'node:net';
import process from 'node:process';
import { format } from 'node:util';
import fc from 'fast-check';
import { atEndOfRun } from './end-of-run.ts';
import { abandonWaits } from './eventually.ts';
import { testDatabaseUrl } from './services.ts';

export { mochaGlobalTeardown } from './end-of-run.ts';

// Properties without a seed of their own test the same cases in every run; FAST_CHECK_SEED selects others. Mocha does not
// print an error's cause, so the report includes it.
fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 20_261_121), includeErrorInReport: true });

// Otherwise Vite sets it, and its value depends on which of Vite's functions the process calls first.
process.env.NODE_ENV ??= 'development';

/** Mocha calls this once, before it starts the workers of a parallel run. They inherit the environment but run no teardown. */
export async function mochaGlobalSetup(): Promise<void> {
  if (testDatabaseUrl === undefined) return;
  const { createTemplate } = await import('./test-database.ts');
  atEndOfRun(await createTemplate(testDatabaseUrl));
}

const { connect } = Socket.prototype;
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

Socket.prototype.connect = function connectToLoopback(this: Socket, ...parameters: unknown[]) {
  const [first] = parameters.flat();
  const host = typeof first === 'object' && first !== null && 'host' in first ? first.host : undefined;
  if (typeof host === 'string' && !loopback.test(host)) {
    throw new Error(`A test tried to reach ${host}.`);
  }
  return Reflect.apply(connect, this, parameters);
};

const lines: string[] = [];

export const mochaHooks = {
  // The console is replaced only now, so that errors are still printed while test files load.
  beforeAll() {
    for (const method of ['warn', 'error'] as const) {
      console[method] = (...parameters: unknown[]) => void lines.push(format(...parameters));
    }
  },

  afterEach(this: Mocha.Context) {
    const waits = abandonWaits();
    const failure = this.currentTest?.err;
    // Mocha prints only the stack, so the waits are appended to it.
    if (failure && waits.length > 0) failure.stack += `\n    Still waiting for:\n${waits.join('\n')}`;
    const unexpected = lines.splice(0);
    if (unexpected.length > 0) throw new Error(`Unexpected console output:\n${unexpected.join('\n')}`);
  },
};
