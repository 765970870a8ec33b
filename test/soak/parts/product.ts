import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startOptions } from '../../support/served-process.ts';
import { steadyPort } from '../../support/steady-port.ts';
import { now } from '../now.ts';
import type { Budgets, Life, Sample } from '../records.ts';
import { modelName } from './model-name.ts';
import type { ProbeAnswer } from './probe.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const startMilliseconds = 60_000;
const stopMilliseconds = 60_000;
const sampleMilliseconds = 30_000;

export const sessionSecret = 'a secret of a soak with thirty-two characters at least';

/** Shorter than people's patience, so that replies are running when it is over. */
const graceMilliseconds = 3_000;

/** Longer than anything that is slow but alive, short enough to be met often. */
const modelIdleMilliseconds = 15_000;

export type Product = Awaited<ReturnType<typeof startProduct>>;

/** The product as production runs it behind a proxy, in a process of its own, always at the same address. */
export async function startProduct(parts: {
  databaseUrl: string;
  ownerUrl: string;
  redisUrl: string;
  providerUrl: string;
  budgets: Budgets;
}) {
  const port = await steadyPort();
  const url = `http://127.0.0.1:${port}`;
  const lives: Life[] = [];
  const logLines: string[] = [];
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const life: Life = { startedAt: now(), exitedAt: null, killed: false, code: null };
    const program = [...startOptions, '--expose-gc', '--import', './test/soak/parts/probe.ts', 'server/main.ts'];
    const started = spawn(process.execPath, program, {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        PORT: String(port),
        PUBLIC_URL: `https://localhost:${port}`,
        TRUST_PROXY: 'true',
        DATABASE_URL: parts.databaseUrl,
        DATABASE_MIGRATION_URL: parts.ownerUrl,
        REDIS_URL: parts.redisUrl,
        SESSION_SECRET: sessionSecret,
        SIGN_UP: 'invited',
        TOKENS_PER_DAY_USER: String(parts.budgets.user),
        TOKENS_PER_DAY_ORGANIZATION: String(parts.budgets.organization),
        TOKENS_PER_DAY_DEMO: String(parts.budgets.demo),
        ANTHROPIC_API_KEY: 'soak',
        ANTHROPIC_BASE_URL: parts.providerUrl,
        ANTHROPIC_MODEL: modelName,
        GITHUB_CLIENT_ID: 'soak',
        GITHUB_CLIENT_SECRET: 'soak',
        MODEL_IDLE_TIMEOUT_MS: String(modelIdleMilliseconds),
        SHUTDOWN_GRACE_MS: String(graceMilliseconds),
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const listening = Promise.withResolvers<void>();
    for (const stream of [started.stdout, started.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        logLines.push(line);
        if (line.includes('"msg":"listening"')) listening.resolve();
      });
    }
    started.once('exit', (code) => {
      life.exitedAt = now();
      life.code = code;
      listening.reject(new Error(`The product ended before it listened:\n${logLines.slice(-20).join('\n')}`));
    });
    const patience = setTimeout(() => listening.reject(new Error('The product does not start.')), startMilliseconds);
    child = started;
    lives.push(life);
    await listening.promise;
    clearTimeout(patience);
  }

  async function end(name: NodeJS.Signals): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    // Not before its output has ended: the last lines are read as well.
    const ended = once(child, 'close', { signal: AbortSignal.timeout(stopMilliseconds) });
    child.kill(name);
    await ended.catch((cause) => {
      throw new Error(`The product does not end:\n${logLines.slice(-20).join('\n')}`, { cause });
    });
  }

  await start();
  return {
    url,
    lives,
    logLines,
    start,
    stop: () => end('SIGTERM'),
    async kill(): Promise<void> {
      const life = lives.at(-1);
      if (life) life.killed = true;
      await end('SIGKILL');
    },
    /** Leaves nothing running, however the run has ended. */
    close: () => end('SIGKILL'),
    /** What the process holds now that its garbage is collected. */
    async sample(progress: number): Promise<Sample> {
      if (child === undefined) throw new Error('The product does not run.');
      const answered = once(child, 'message', { signal: AbortSignal.timeout(sampleMilliseconds) });
      child.send('sample');
      const [answer]: ProbeAnswer[] = await answered;
      if (answer === undefined) throw new Error('The product does not say what it holds.');
      return { ...answer, life: lives.length - 1, progress };
    },
  };
}
