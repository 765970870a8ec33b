import { randomInt } from 'node:crypto';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmulatedSignIn } from '../../server/embedded/emulated-sign-in.ts';
import type { ProviderAnswer } from '../../server/embedded/provider-answer.ts';
import { type ProviderName, providerNames } from '../../shared/session.ts';
import { createBuiltClient } from '../conformance/support/built-client.ts';
import { createBrowser } from '../support/browser.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import '../support/setup.ts';
import { createTestApp, exampleOnboarding, post, question } from '../support/test-app.ts';
import type { Mood } from './requests.ts';
import { canaries } from './texts.ts';

const overWithinMilliseconds = 5_000;
/** So many requests reach no limit. */
const often = 1_000_000;

const message = canaries.providerWords;
const refusal = (status: number, type: string): ProviderAnswer => ({ refuse: { status, type, message } });
const half = { text: 'Half, ' };

const answers: Record<Mood, ProviderAnswer> = {
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
  'is silent': { steps: [{ wait: new Promise(() => undefined) }] },
};

const visitors: Record<ProviderName, string> = {
  google: 'blake@example.com',
  github: 'avery-example',
  microsoft: 'avery@example.com',
};

/** What a case has left behind in the process, since it was prepared. */
export type Settled = {
  lines: readonly string[];
  /** errors that nobody caught, and warnings */
  uncaught: readonly string[];
  /** whether every request was over soon after the client had read its answer or left */
  over: boolean;
  /** whether the other organization's rows are what they were */
  otherUnchanged: boolean;
  /** why the process does not serve as it should, if so */
  ailment: string | undefined;
};

export type Served = Awaited<ReturnType<typeof serve>>;

/** The application under test, with somebody onboarded, somebody who is not, and somebody of another organization. */
export async function serve() {
  const uncaught: string[] = [];
  process.on('uncaughtException', (error) => uncaught.push(`nobody caught: ${error?.stack ?? error}`));
  process.on('unhandledRejection', (reason) => uncaught.push(`nobody handled: ${reason}`));
  process.on('warning', ({ name, message }) => {
    if (name !== 'ExperimentalWarning') uncaught.push(`${name}: ${message}`);
  });

  const client = await createBuiltClient();
  const { settings: providers } = await startEmulatedSignIn(providerNames);
  const app = await createTestApp({
    sessionSecrets: [canaries.sessionSecret],
    limits: { live: often, demo: often },
    pages: client.pages,
    providers,
  });
  const { url, storage } = app;

  /** A browser with an address of its own: what it does uses up no other's limits. */
  const browser = () =>
    createBrowser(url, { 'X-Forwarded-For': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}` });

  async function enter(provider: ProviderName, who: string, company?: string) {
    const own = browser();
    await own.signInWith(provider, who);
    const { user } = await (await own.request('/auth/session')).json();
    if (company !== undefined) {
      const body = JSON.stringify({ ...exampleOnboarding, company: { ...exampleOnboarding.company, name: company } });
      await own.request('/onboarding', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    }
    const isSignedIn = async () => (await (await own.request('/auth/session')).json()).user !== null;
    return { cookie: own.cookies().join('; '), user, isSignedIn };
  }

  const enterOnboarded = (company?: string) => enter('google', 'avery@example.com', company);
  const enterNewcomer = () => enter('github', 'casey-example');
  let onboarded = await enterOnboarded(exampleOnboarding.company.name);
  let newcomer = await enterNewcomer();
  const other = await enter('microsoft', 'drew@example.com', canaries.otherOrganization);
  const asked = await post(`${url}/api/chat`, question(canaries.otherMessage), { Cookie: other.cookie });
  await asked.text();

  /** A digest of every row that the other organization has. */
  async function digest(): Promise<string> {
    const { id } = other.user.organization;
    const tables = await storage.rows(
      `select table_name from information_schema.columns where table_schema = 'public' and column_name = 'org_id'`,
    );
    const rows = [
      `select t::text as row from organizations t where id = ?`,
      ...tables.map(({ table_name: table }) => `select t::text from "${table}" t where org_id = ?`),
    ];
    const statement = `select md5(string_agg(row, '|' order by row)) as digest from (${rows.join(' union all ')}) r`;
    const [found] = await storage.rows(
      statement,
      rows.map(() => id),
    );
    return String(found?.digest);
  }

  let before = await digest();

  async function ailment(): Promise<string | undefined> {
    const health = await fetch(`${url}/healthz`);
    await health.body?.cancel();
    if (health.status !== 200) return `GET /healthz answers ${health.status}.`;
    const turn = await post(`${url}/api/chat`, question(), { Cookie: onboarded.cookie });
    const text = await turn.text();
    // The case may have signed its person out.
    if (turn.status === 401 || (turn.status === 200 && text === defaultReply.text)) return undefined;
    return `A well-formed turn is answered with ${turn.status}: ${text.slice(0, 200)}`;
  }

  return {
    url,
    providerOrigins: Object.values(providers).map(({ baseUrl = '' }) => new URL(baseUrl).origin),
    otherSecrets: [decodeURIComponent(other.cookie).match(/s:([^.]+)\./)?.[1] ?? ''],

    /** Undoes what the last case has done, and begins a sign-in that the next may finish: the provider has sent it back. */
    async prepare(mood: Mood, signIn: ProviderName | null) {
      const attempt = { attempt: '', code: '', state: '' };
      if (signIn !== null) {
        const own = browser();
        const back = new URL(await own.approve(signIn, visitors[signIn]));
        attempt.attempt = own.cookies().join('; ');
        attempt.code = back.searchParams.get('code') ?? '';
        attempt.state = back.searchParams.get('state') ?? '';
      }
      if (!(await onboarded.isSignedIn())) onboarded = await enterOnboarded();
      if (!(await newcomer.isSignedIn())) newcomer = await enterNewcomer();
      const again = 'update users set onboarded_at = null where id = ? and onboarded_at is not null';
      await storage.rows(again, [newcomer.user.id]);
      app.provider.reset();
      app.provider.answerWith(answers[mood]);
      app.lines.length = 0;
      before = await digest();
      return { host: new URL(url).host, onboarded: onboarded.cookie, newcomer: newcomer.cookie, ...attempt };
    },

    async settle(): Promise<Settled> {
      const patience = new AbortController();
      const over = await Promise.race([
        app.requests.over().then(() => true),
        delay(overWithinMilliseconds, false, { signal: patience.signal }).catch(() => false),
      ]);
      patience.abort();
      app.provider.reset();
      return {
        lines: app.lines.splice(0).map((line) => JSON.stringify(line)),
        uncaught: uncaught.splice(0),
        over,
        otherUnchanged: before === (await digest()),
        ailment: await ailment(),
      };
    },

    close: client.remove,
  };
}
