import type { createBrowser } from '../../support/browser.ts';
import { exampleOnboarding, question, type TestApp } from '../../support/test-app.ts';
import { canaries } from '../canaries.ts';

export type People = Awaited<ReturnType<typeof gather>>;

/** Who is there when a case begins: somebody onboarded, somebody who is not, and somebody of another organization. */
export async function gather(app: TestApp) {
  const { rows } = app.storage;
  let onboarded = await app.person({ provider: 'google', who: 'avery@example.com' });
  let newcomer = await app.person({ provider: 'github', who: 'casey-example', onboarded: false });
  const other = await app.person({ provider: 'microsoft', who: 'drew@example.com', onboarded: false });

  const { company } = exampleOnboarding;
  await other.browser.request('/onboarding', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...exampleOnboarding, company: { ...company, name: canaries.otherOrganization } }),
  });
  await (await app.live(other, question(canaries.otherMessage))).text();

  const isSignedIn = async ({ browser }: { browser: ReturnType<typeof createBrowser> }) =>
    (await (await browser.request('/auth/session')).json()).user !== null;

  return {
    get onboarded() {
      return onboarded;
    },
    get newcomer() {
      return newcomer;
    },
    other,

    /** Undoes what a case has done to the first two. */
    async restore(): Promise<void> {
      if (!(await isSignedIn(onboarded)))
        onboarded = await app.person({ provider: 'google', who: 'avery@example.com' });
      if (!(await isSignedIn(newcomer))) {
        newcomer = await app.person({ provider: 'github', who: 'casey-example', onboarded: false });
      }
      await rows('update users set onboarded_at = null where id = ? and onboarded_at is not null', [newcomer.user.id]);
    },
  };
}
