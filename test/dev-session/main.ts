import process from 'node:process';
import { parseArgs } from 'node:util';
import { type Config, ConfigError, loadConfig } from '../../server/config/config.ts';
import { pages, routes } from '../../shared/interface.ts';
import { providerNames, signInProblems } from '../../shared/session.ts';
import { type Browser, createBrowser, locationOf } from '../support/browser.ts';
import { exampleOnboarding } from '../support/example-onboarding.ts';

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Signs an example person in at the development instance that runs here, and prints their cookie. */
try {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { onboarded: { type: 'boolean' } } });
  const [person] = positionals;
  if (person === undefined) throw new Error('Usage: npm run dev-session -- PERSON [--onboarded]');
  const cookie = await createDevSession(loadConfig(process.env, { need: ['PUBLIC_URL', 'PORT'] }), {
    person,
    onboarded: values.onboarded ?? false,
  });
  process.stdout.write(`${cookie}\n`);
} catch (error) {
  const complaints = error instanceof ConfigError ? error.complaints : [error instanceof Error ? error.message : error];
  process.stderr.write(`${complaints.join('\n')}\n`);
  process.exitCode = 1;
}

/**
 * Signs `person`, an e-mail address or login, in at the development instance that `config` describes, by the first
 * emulated provider that offers them; fills in the onboarding form too where `onboarded`. Gives the line for a request:
 * `Cookie: advisory-chat=…`.
 * @throws Error with a sentence where there is no such instance or person, or where no provider is emulated
 */
async function createDevSession(
  { publicUrl, port }: Pick<Config, 'publicUrl' | 'port'>,
  { person, onboarded }: { person: string; onboarded: boolean },
): Promise<string> {
  const browser = await signedIn(publicUrl ?? `http://localhost:${port}`, person);
  if (onboarded) await onboard(browser);
  return `Cookie: ${browser.cookies()[0]}`;
}

async function signedIn(url: string, person: string): Promise<Browser> {
  const offered = new Set<string>();
  for (const provider of providerNames) {
    const browser = createBrowser(url);
    const address = new URL(await browser.addressAtProvider(provider).catch((cause) => unanswered(url, cause)));
    // A configured provider is a real one, where only the account's owner can sign in.
    if (!loopback.test(address.hostname)) continue;
    const people = await browser.peopleAt(address.href);
    if (people.includes(person)) {
      const arrived = new URL(locationOf(await browser.signInWith(provider, person)), url);
      const problem = Object.entries(signInProblems).find(([name]) => name === arrived.searchParams.get('problem'));
      if (arrived.pathname === pages.signIn) throw new Error(problem?.[1] ?? 'The sign-in failed.');
      return browser;
    }
    for (const each of people) offered.add(each);
  }
  if (offered.size === 0) throw new Error(`No sign-in provider is emulated at ${url}: sign in with a browser.`);
  throw new Error(`Nobody is called ${person} here. There are ${[...offered].join(', ')}.`);
}

function unanswered(url: string, cause: unknown): never {
  const found = cause instanceof TypeError ? `Nothing answers at ${url}.` : `What runs at ${url} offers no sign-in.`;
  throw new Error(`${found} PORT or PUBLIC_URL says where the instance is.`, { cause });
}

async function onboard(browser: Browser): Promise<void> {
  const response = await browser.post(routes.onboarding, exampleOnboarding);
  // 409: they were already.
  if (response.status !== 204 && response.status !== 409) {
    throw new Error(`The onboarding form was answered with ${response.status}: ${await response.text()}`);
  }
}
