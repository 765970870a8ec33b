import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProviderAnswer } from '../../server/embedded/provider-server.ts';
import type { ProviderName } from '../../shared/session.ts';
import { createBuiltClient } from '../conformance/support/built-client.ts';
import { createBrowser } from '../support/browser.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import '../support/setup.ts';
import { createTestApp, exampleOnboarding, question } from '../support/test-app.ts';
import { canaries } from './texts.ts';

const overWithinMilliseconds = 5_000;
/** So many requests reach no limit. */
const often = 1_000_000;

/** Who begins a sign-in that a case may finish: nobody whom the application knows from the start. */
const visitors = { google: 'blake@example.com', github: 'avery-example', microsoft: 'avery@example.com' };

const message = canaries.providerWords;
const refusal = (status: number, type: string): ProviderAnswer => ({ refuse: { status, type, message } });
const half = { text: 'Half, ' };

/** What the model provider does while a case runs. */
export const moods = {
  well: defaultReply.answer,
  overloaded: refusal(529, 'overloaded_error'),
  'refuses the key': refusal(401, 'authentication_error'),
  'refuses the request': refusal(400, 'invalid_request_error'),
  limits: refusal(429, 'rate_limit_error'),
  fails: refusal(500, 'api_error'),
  'fails in mid-stream': { steps: [half, { event: { type: 'error', error: { type: 'api_error', message } } }] },
  cuts: { steps: [{ cut: true }] },
  'cuts in mid-stream': { steps: [half, { cut: true }] },
  'ends early': { steps: [half, { end: true }] },
  'talks nonsense': { steps: [{ raw: `event: content_block_delta\ndata: {"${message}\n\n` }] },
  'is silent': { steps: [{ wait: new Promise<never>(() => undefined) }] },
} satisfies Record<string, ProviderAnswer>;
export type Mood = keyof typeof moods;

export type Served = Awaited<ReturnType<typeof serve>>;

/** The application under test, with somebody onboarded, somebody who is not, and somebody of another organization. */
export async function serve() {
  const troubles: string[] = [];
  process.on('uncaughtException', (error) => troubles.push(`Nobody caught ${error?.stack ?? error}`));
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') troubles.push(`${name}: ${message}`);
  });

  const client = await createBuiltClient();
  const app = await createTestApp({
    sessionSecrets: [canaries.sessionSecret],
    limits: { live: often, demo: often, signInStart: often, signInCallback: often, joining: often, onboarding: often },
    pages: client.pages,
  });
  const { url, storage } = app;

  const enterOnboarded = () => app.person();
  const enterNewcomer = () => app.person({ provider: 'github', who: 'casey-example', onboarded: false });
  let onboarded = await enterOnboarded();
  let newcomer = await enterNewcomer();
  const isSignedIn = async ({ browser }: typeof onboarded) =>
    (await (await browser.request('/auth/session')).json()).user !== null;

  const other = await app.person({ provider: 'microsoft', who: 'drew@example.com', onboarded: false });
  const company = { ...exampleOnboarding.company, name: canaries.otherOrganization };
  await other.browser.post('/onboarding', { ...exampleOnboarding, company });
  await (await app.live(other, question(canaries.otherMessage))).text();

  return {
    url,
    otherSecrets: [decodeURIComponent(other.cookie).match(/s:([^.]+)\./)?.[1] ?? ''],

    /** Undoes what the last case has done, and begins a sign-in that the next may finish: the provider has sent it back. */
    async prepare(mood: Mood, signIn: ProviderName | null) {
      const attempt = { attempt: '', code: '', state: '' };
      if (signIn !== null) {
        const browser = createBrowser(url);
        const back = new URL(await browser.approve(signIn, visitors[signIn]));
        attempt.attempt = browser.cookies().join('; ');
        attempt.code = back.searchParams.get('code') ?? '';
        attempt.state = back.searchParams.get('state') ?? '';
      }
      if (!(await isSignedIn(onboarded))) onboarded = await enterOnboarded();
      if (!(await isSignedIn(newcomer))) newcomer = await enterNewcomer();
      const again = 'update users set onboarded_at = null where id = ? and onboarded_at is not null';
      await storage.rows(again, [newcomer.user.id]);
      app.provider.answerWith(moods[mood]);
      app.lines.length = 0;
      return { host: new URL(url).host, onboarded: onboarded.cookie, newcomer: newcomer.cookie, ...attempt };
    },

    /** What a case has left behind: its log lines, and sentences on what is wrong with the process. */
    async settle() {
      const over = app.requests.allFinished().then(() => true);
      if (!(await Promise.race([over, delay(overWithinMilliseconds, false, { ref: false })])))
        troubles.push('A request is still under way, although its client has its answer or has left.');
      app.provider.reset();
      const lines = app.lines.splice(0).map((line) => JSON.stringify(line));
      const turn = await app.live(onboarded, question());
      const text = await turn.text();
      // The case may have signed its person out.
      if (turn.status !== 401 && text !== defaultReply.text)
        troubles.push(`A well-formed turn is answered with ${turn.status}: ${text.slice(0, 200)}`);
      return { lines, troubles: troubles.splice(0) };
    },

    close: client.remove,
  };
}
