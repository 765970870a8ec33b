import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProviderAnswer } from '../../server/embedded/provider-server.ts';
import { limits } from '../../shared/route-table.ts';
import type { ProviderName } from '../../shared/session.ts';
import { createFakeBuild } from '../conformance/support/built-client.ts';
import { createBrowser } from '../support/browser.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import '../support/setup.ts';
import { createTestApp, exampleOnboarding, question } from '../support/test-app.ts';
import { canaries } from './texts.ts';

const finishTimeoutMilliseconds = 5_000;
/** The limit is high enough that no case reaches it. */
const unlimited = 100_000;

/** A case can complete the sign-in of these accounts. No users exist for them at the start. */
const visitors = { google: 'blake@example.com', github: 'avery-example', microsoft: 'avery@example.com' };

const message = canaries.providerWords;
const refusal = (status: number, type: string): ProviderAnswer => ({ refuse: { status, type, message } });
const half = { text: 'Half, ' };

export const providerBehaviors = {
  replies: defaultReply.answer,
  'is overloaded': refusal(529, 'overloaded_error'),
  'rejects the key': refusal(401, 'authentication_error'),
  'rejects the request': refusal(400, 'invalid_request_error'),
  'limits the rate': refusal(429, 'rate_limit_error'),
  fails: refusal(500, 'api_error'),
  'fails mid-stream': { steps: [half, { event: { type: 'error', error: { type: 'api_error', message } } }] },
  'cuts the connection': { steps: [{ cut: true }] },
  'cuts the connection mid-stream': { steps: [half, { cut: true }] },
  'ends early': { steps: [half, { end: true }] },
  'sends garbage': { steps: [{ raw: `event: content_block_delta\ndata: {"${message}\n\n` }] },
  'is silent': { steps: [{ wait: new Promise<never>(() => undefined) }] },
} satisfies Record<string, ProviderAnswer>;
export type ProviderBehavior = keyof typeof providerBehaviors;

export type FuzzedApp = Awaited<ReturnType<typeof startApp>>;

/** Starts the application under test with an onboarded user, a user before onboarding, and a user of another organization. */
export async function startApp() {
  const problems: string[] = [];
  process.on('uncaughtException', (error) => problems.push(`Uncaught exception: ${error?.stack ?? error}`));
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') problems.push(`${name}: ${message}`);
  });

  const client = await createFakeBuild();
  const app = await createTestApp({
    sessionSecrets: [canaries.sessionSecret],
    limits: Object.fromEntries(Object.keys(limits).map((name) => [name, unlimited])),
    pages: client.pages,
  });
  const { url, storage } = app;

  const signInOnboarded = () => app.person();
  const signInNewcomer = () => app.person({ provider: 'github', who: 'casey-example', onboarded: false });
  let onboarded = await signInOnboarded();
  let newcomer = await signInNewcomer();
  const isSignedIn = async ({ browser }: typeof onboarded) =>
    (await (await browser.request('/auth/session')).json()).user !== null;

  const other = await app.person({ provider: 'microsoft', who: 'drew@example.com', onboarded: false });
  const company = { ...exampleOnboarding.company, name: canaries.otherOrganization };
  await other.browser.post('/onboarding', { ...exampleOnboarding, company });
  await (await app.live(other, question(canaries.otherMessage))).text();

  return {
    url,
    otherSecrets: [decodeURIComponent(other.cookie).match(/s:([^.]+)\./)?.[1] ?? ''],

    /** Restores the signed-in users, and takes a sign-in of `signIn` as far as the provider's redirect to the callback. */
    async prepare(behavior: ProviderBehavior, signIn: ProviderName | null) {
      const attempt = { attempt: '', code: '', state: '' };
      if (signIn !== null) {
        const browser = createBrowser(url);
        const callback = new URL(await browser.approve(signIn, visitors[signIn]));
        attempt.attempt = browser.cookies().join('; ');
        attempt.code = callback.searchParams.get('code') ?? '';
        attempt.state = callback.searchParams.get('state') ?? '';
      }
      if (!(await isSignedIn(onboarded))) onboarded = await signInOnboarded();
      if (!(await isSignedIn(newcomer))) newcomer = await signInNewcomer();
      const undoOnboarding = 'update users set onboarded_at = null where id = ? and onboarded_at is not null';
      await storage.rows(undoOnboarding, [newcomer.user.id]);
      app.provider.answerWith(providerBehaviors[behavior]);
      app.lines.length = 0;
      const { cookieName } = app;
      return {
        host: new URL(url).host,
        cookieName,
        onboarded: onboarded.cookie,
        newcomer: newcomer.cookie,
        ...attempt,
      };
    },

    /** Returns the log lines of a case, and a sentence per problem of the process. */
    async inspect() {
      const finished = app.requests.allFinished().then(() => true);
      if (!(await Promise.race([finished, delay(finishTimeoutMilliseconds, false, { ref: false })])))
        problems.push('A request is still in flight, although its client has the response or has disconnected.');
      app.provider.reset();
      const lines = app.lines.splice(0).map((line) => JSON.stringify(line));
      const turn = await app.live(onboarded, question());
      const text = await turn.text();
      // 401 is valid, because the case may have signed the user out.
      if (turn.status !== 401 && text !== defaultReply.text)
        problems.push(`A well-formed turn is answered with ${turn.status}: ${text.slice(0, 200)}`);
      return { lines, problems: problems.splice(0) };
    },

    close: client.remove,
  };
}
