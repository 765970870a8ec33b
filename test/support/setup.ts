import { Socket } from 'node:net';
import process from 'node:process';
import { format } from 'node:util';
import fc from 'fast-check';
import { atEndOfRun } from './end-of-run.ts';
import { abandonWaits } from './eventually.ts';
import { testDatabaseUrl } from './services.ts';

export { mochaGlobalTeardown } from './end-of-run.ts';

// The same cases in every run, for each property that names no seed; FAST_CHECK_SEED tries others. Mocha prints no cause.
fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 20_261_121), includeErrorInReport: true });

// What is meant where it is unset. Vite would set it, to what the first of its calls in this process needs.
process.env.NODE_ENV ??= 'development';

/** Mocha calls this once, before the processes of a parallel run: they have its environment, and cannot clear up. */
export async function mochaGlobalSetup(): Promise<void> {
  if (testDatabaseUrl === undefined) return;
  const { makeTemplate } = await import('./test-database.ts');
  atEndOfRun(await makeTemplate(testDatabaseUrl));
}

/** An unexpected line on the console is a failure, and nothing leaves this machine. */
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
  // Not before: what goes wrong while the files are loaded has to be seen.
  beforeAll() {
    for (const method of ['warn', 'error'] as const) {
      console[method] = (...parameters: unknown[]) => void lines.push(format(...parameters));
    }
  },

  afterEach(this: Mocha.Context) {
    const waits = abandonWaits();
    const failure = this.currentTest?.err;
    // Mocha prints the stack.
    if (failure && waits.length > 0) failure.stack += `\n    Still waiting for:\n${waits.join('\n')}`;
    const unexpected = lines.splice(0);
    if (unexpected.length > 0) throw new Error(`Unexpected on the console:\n${unexpected.join('\n')}`);
  },
};
