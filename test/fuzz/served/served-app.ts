import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import '../mocha-context.ts';
import { startEmulatedSignIn } from '../../../server/embedded/emulated-sign-in.ts';
import { providerNames } from '../../../shared/session.ts';
import { createBuiltClient } from '../../conformance/support/built-client.ts';
import { root } from '../../support/served-process.ts';
import '../../support/setup.ts';
import { createTestApp } from '../../support/test-app.ts';
import { canaries } from '../canaries.ts';
import { createWitness } from './other-organization.ts';
import { gather } from './people.ts';
import { answers } from './provider-moods.ts';
import { beginAttempt } from './sign-in-attempt.ts';
import type { Answer, Preparation, Prepared, Question, Settled } from './talk.ts';

/*
 * The application under test in a process of its own, so that its processor time is its own and a crash is seen. It does
 * what the parent process asks, one thing at a time.
 */

const overWithinMilliseconds = 5_000;

const uncaught: string[] = [];
process.on('uncaughtException', (error) => uncaught.push(`nobody caught: ${error?.stack ?? error}`));
process.on('unhandledRejection', (reason) => uncaught.push(`nobody handled: ${reason}`));
process.on('warning', ({ name, message }) => {
  if (name !== 'ExperimentalWarning') uncaught.push(`${name}: ${message}`);
});

// Whoever has started this process may be gone before it is ready.
let client: Awaited<ReturnType<typeof createBuiltClient>> | undefined;
process.once('disconnect', async () => {
  await client?.remove();
  process.exit();
});

client = await createBuiltClient();
const { settings: providers } = await startEmulatedSignIn(providerNames);
const often = 1_000_000;
const app = await createTestApp({
  sessionSecrets: [canaries.sessionSecret],
  limits: { live: often, demo: often },
  pages: client.pages,
  providers,
});
const people = await gather(app);
const digest = await createWitness(app.storage, people.other.user.organization.id);
let before = await digest();
let usage = process.cpuUsage();

const noAttempt: Prepared['attempt'] = { cookie: '', code: '', state: '' };

async function prepare({ mood, signIn }: Preparation): Promise<Prepared> {
  const attempt = signIn === null ? noAttempt : await beginAttempt(app.url, signIn);
  await people.restore();
  app.provider.reset();
  app.provider.answerWith(answers[mood]);
  app.lines.length = 0;
  before = await digest();
  usage = process.cpuUsage();
  return { cookies: { onboarded: people.onboarded.cookie, newcomer: people.newcomer.cookie }, attempt };
}

async function settle(): Promise<Settled> {
  const patience = new AbortController();
  const over = await Promise.race([
    app.requests.over().then(() => true),
    delay(overWithinMilliseconds, false, { signal: patience.signal }).catch(() => false),
  ]);
  patience.abort();
  const { user, system } = process.cpuUsage(usage);
  app.provider.reset();
  return {
    cpuMicroseconds: user + system,
    lines: app.lines.splice(0).map((line) => JSON.stringify(line)),
    uncaught: uncaught.splice(0),
    over,
    otherUnchanged: before === (await digest()),
  };
}

function answerTo(question: Question): Promise<Answer> | Answer {
  switch (question.ask) {
    case 'prepare':
      return prepare(question.preparation).then((prepared) => ({ prepared }));
    case 'settle':
      return settle().then((settled) => ({ settled }));
    case 'measure':
      globalThis.gc?.();
      return {
        measured: { handles: process.getActiveResourcesInfo().length, heapBytes: process.memoryUsage().heapUsed },
      };
  }
}

const say = (answer: Answer) => process.send?.(answer);

process.on('message', async (question: Question) => {
  try {
    say(await answerTo(question));
  } catch (error) {
    say({ failed: String(error instanceof Error ? error.stack : error) });
  }
});

const session = decodeURIComponent(people.other.cookie).match(/s:([^.]+)\./)?.[1] ?? '';
say({
  greeting: {
    url: app.url,
    providerOrigins: Object.values(providers).map(({ baseUrl = '' }) => new URL(baseUrl).origin),
    root,
    otherSecrets: [session],
  },
});
