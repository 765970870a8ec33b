import { routes } from '../../shared/interface.ts';
import { startProduct } from '../e2e/support/product.ts';
import { createBrowser } from '../support/browser.ts';
import { atEndOfRun } from '../support/end-of-run.ts';
import { exampleOnboarding, post, question } from '../support/test-app.ts';

let started: ReturnType<typeof startProduct> | undefined;

/** The product as `npm start` runs it; it gives a model up that is silent for three seconds, not for a minute. */
function product() {
  started ??= startProduct({ MODEL_IDLE_TIMEOUT_MS: '3000' });
  return started;
}

atEndOfRun(async () => {
  await (await started)?.remove();
});

/** Somebody in live chat: its address, their cookie, and what the offline model says whole to a question of theirs. */
export async function somebodyInLiveChat(who: string) {
  const { url } = await product();
  const browser = createBrowser(url);
  await browser.signInWith('google', who);
  await browser.post(routes.onboarding, exampleOnboarding);
  const cookie = browser.cookies().join('; ');
  const address = url + routes.liveChat;
  const toHello = await (await post(address, question('Hello.'), { Cookie: cookie })).text();
  return { address, cookie, replyTo: (asked: string) => toHello.replace('“Hello.”', `“${asked}”`) };
}
