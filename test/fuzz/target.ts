import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { defaultReply } from '../support/scripted-provider.ts';
import { post, question } from '../support/test-app.ts';
import type { Answer, Answers, Measured, Preparation, Prepared, Question, Settled } from './served/talk.ts';

/** How long the process may take to do what it is asked, in milliseconds: on a busy machine that is a while. */
const patienceMilliseconds = 60_000;

export type Target = Awaited<ReturnType<typeof startTarget>>;

/** The application under test, in a process of its own. */
export async function startTarget() {
  const child = fork(fileURLToPath(new URL('served/served-app.ts', import.meta.url)), {
    execArgv: ['--expose-gc', '--max-semi-space-size=8', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const greeting = given(await nextAnswer(child), 'greeting');
  let cookie = '';

  async function ask(asked: Question): Promise<Answer> {
    const answer = nextAnswer(child);
    child.send(asked);
    return answer;
  }

  return {
    ...greeting,

    /** @throws where the process has ended */
    async prepare(preparation: Preparation): Promise<Prepared> {
      const prepared = given(await ask({ ask: 'prepare', preparation }), 'prepared');
      cookie = prepared.cookies.onboarded;
      return prepared;
    },

    settle: async (): Promise<Settled> => given(await ask({ ask: 'settle' }), 'settled'),
    measure: async (): Promise<Measured> => given(await ask({ ask: 'measure' }), 'measured'),

    /** Why the process does not serve as it should, if so: it is asked for its health, and for a turn. */
    async ailment(): Promise<string | undefined> {
      const health = await fetch(`${greeting.url}/healthz`, { signal: AbortSignal.timeout(patienceMilliseconds) });
      await health.body?.cancel();
      if (health.status !== 200) return `GET /healthz answers ${health.status}.`;
      const turn = await post(`${greeting.url}/api/chat`, question(), { Cookie: cookie });
      const text = await turn.text();
      if (turn.status === 200 && text === defaultReply.text) return undefined;
      return turn.status === 401
        ? undefined
        : `A well-formed turn is answered with ${turn.status}: ${text.slice(0, 200)}`;
    },

    async stop(): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.disconnect();
      const patience = setTimeout(() => child.kill('SIGKILL'), patienceMilliseconds);
      await gone;
      clearTimeout(patience);
    },
  };
}

function given<K extends keyof Answers>(answer: Answer, name: K): Answers[K] {
  const found: Answers[K] | undefined = answer[name];
  if (found === undefined) throw new Error(`The process with the application has no answer: ${answer.failed}`);
  return found;
}

async function nextAnswer(child: ChildProcess): Promise<Answer> {
  const over = new AbortController();
  try {
    return await Promise.race([
      once(child, 'message', { signal: over.signal }).then(([answer]): Answer => answer),
      once(child, 'exit', { signal: over.signal }).then(([code, signal]): never => {
        throw new Error(`The process with the application ended with ${code ?? signal}.`);
      }),
      delay(patienceMilliseconds, undefined, { signal: over.signal }).then((): never => {
        throw new Error('The process with the application does not do what it is asked.');
      }),
    ]);
  } finally {
    over.abort();
  }
}
