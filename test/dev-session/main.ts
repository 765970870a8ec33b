import process from 'node:process';
import { parseArgs } from 'node:util';
import { sessionCookie } from '../../server/auth/sessions.ts';
import { type Config, ConfigError, loadConfig } from '../../server/config/config.ts';
import { pages, routes } from '../../shared/interface.ts';
import { providerNames, signInProblems } from '../../shared/session.ts';
import { type Browser, createBrowser, locationOf } from '../support/browser.ts';
import { exampleOnboarding } from '../support/example-onboarding.ts';

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Signs an example person in at the local development instance and prints the Cookie header. */
try {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { onboarded: { type: 'boolean' } } });
  const [person, ...others] = positionals;
  if (person === undefined || others.length > 0) throw new Error('Usage: npm run dev-session -- PERSON [--onboarded]');
  const cookie = await createDevSession(loadConfig(process.env, { required: ['PUBLIC_URL', 'PORT'] }), {
    person,
    onboarded: values.onboarded ?? false,
  });
  process.stdout.write(`${cookie}\n`);
} catch (error) {
  const problems = error instanceof ConfigError ? error.problems : [error instanceof Error ? error.message : error];
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = 1;
}

/**
 * Signs in `person` (an e-mail address or login) at the first emulated provider that offers them and, if `onboarded`, submits
 * the onboarding form. Returns the header line `Cookie: advisory-chat-3000=…`.
 * @throws Error if the instance is unreachable, the person is unknown, or no provider is emulated
 */
async function createDevSession(
  { publicUrl, port }: Pick<Config, 'publicUrl' | 'port'>,
  { person, onboarded }: { person: string; onboarded: boolean },
): Promise<string> {
  const url = publicUrl ?? `http://localhost:${port}`;
  const browser = await signIn(url, person);
  if (onboarded) await onboard(browser);
  // The browser also has the cookie of the attempt that listed the people.
  return `Cookie: ${browser.cookies().find((cookie) => cookie.startsWith(`${sessionCookie(url).name}=`))}`;
}

async function signIn(url: string, person: string): Promise<Browser> {
  const accounts = new Set<string>();
  for (const provider of providerNames) {
    const browser = createBrowser(url);
    const address = new URL(await browser.addressAtProvider(provider).catch((cause) => failToReach(url, cause)));
    // A configured provider is a real one, at which only the owner of an account can sign in.
    if (!loopback.test(address.hostname)) continue;
    const people = await browser.peopleAt(address.href);
    if (people.includes(person)) {
      const arrived = new URL(locationOf(await browser.signInWith(provider, person)), url);
      const problem = Object.entries(signInProblems).find(([name]) => name === arrived.searchParams.get('problem'));
      if (arrived.pathname === pages.signIn) throw new Error(problem?.[1] ?? 'The sign-in failed.');
      return browser;
    }
    for (const each of people) accounts.add(each);
  }
  if (accounts.size === 0) throw new Error(`${url} has no emulated sign-in provider. Sign in with a browser instead.`);
  throw new Error(`Unknown person: ${person}. Choose one of: ${[...accounts].join(', ')}.`);
}

function failToReach(url: string, cause: unknown): never {
  const problem = cause instanceof TypeError ? `Cannot connect to ${url}.` : `The server at ${url} offers no sign-in.`;
  throw new Error(`${problem} Set PORT or PUBLIC_URL to the address of the instance.`, { cause });
}

async function onboard(browser: Browser): Promise<void> {
  const response = await browser.post(routes.onboarding, exampleOnboarding);
  // 409 means that the person is already onboarded.
  if (response.status !== 204 && response.status !== 409) {
    throw new Error(`Onboarding failed with ${response.status}: ${await response.text()}`);
  }
}
