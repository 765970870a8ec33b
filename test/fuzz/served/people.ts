import type { ProviderName } from '../../../shared/session.ts';
import type { Browser } from '../../support/browser.ts';
import { exampleOnboarding, question, type TestApp } from '../../support/test-app.ts';
import { canaries } from '../canaries.ts';
import { createOwnBrowser } from './sign-in-attempt.ts';

type Person = { browser: Browser; cookie: string; user: { id: string; organization: { id: string } } };

export type People = Awaited<ReturnType<typeof gather>>;

/** Who is there when a case begins: somebody onboarded, somebody who is not, and somebody of another organization. */
export async function gather(app: TestApp) {
  const enterOnboarded = () => enter(app, 'google', 'avery@example.com');
  const enterNewcomer = () => enter(app, 'github', 'casey-example');

  let onboarded = await enterOnboarded();
  await onboard(onboarded, exampleOnboarding.company.name);
  let newcomer = await enterNewcomer();
  const other = await enter(app, 'microsoft', 'drew@example.com');
  await onboard(other, canaries.otherOrganization);
  await (await app.live(other, question(canaries.otherMessage))).text();

  return {
    get onboarded(): Person {
      return onboarded;
    },
    get newcomer(): Person {
      return newcomer;
    },
    other,

    /** Undoes what a case has done to the first two. */
    async restore(): Promise<void> {
      if (!(await isSignedIn(onboarded))) onboarded = await enterOnboarded();
      if (!(await isSignedIn(newcomer))) newcomer = await enterNewcomer();
      const { id } = newcomer.user;
      await app.storage.rows('update users set onboarded_at = null where id = ? and onboarded_at is not null', [id]);
    },
  };
}

async function enter({ url }: TestApp, provider: ProviderName, who: string): Promise<Person> {
  const browser = createOwnBrowser(url);
  await browser.signInWith(provider, who);
  const { user } = await (await browser.request('/auth/session')).json();
  return { browser, cookie: browser.cookies().join('; '), user };
}

async function onboard({ browser }: Person, name: string): Promise<void> {
  const { company } = exampleOnboarding;
  const { status } = await browser.request('/onboarding', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...exampleOnboarding, company: { ...company, name } }),
  });
  if (status !== 204) throw new Error(`Onboarding gave ${status}.`);
}

async function isSignedIn({ browser }: Person): Promise<boolean> {
  return (await (await browser.request('/auth/session')).json()).user !== null;
}
