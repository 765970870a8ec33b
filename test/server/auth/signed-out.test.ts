import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createBrowser, locationOf } from '../../support/browser.ts';
import { perTest } from '../../support/per-suite.ts';
import { createTestApp, question, type TestApp } from '../../support/test-app.ts';

const errorLine = '\n\n[UPSTREAM_ERROR: The model could not finish the reply.]';

describe('a user whose sessions end', () => {
  const app = perTest(() => createTestApp({ replyWatchMilliseconds: 5 }));

  type Person = Awaited<ReturnType<TestApp['person']>>;
  const commands: Record<string, (person: Person) => Promise<unknown>> = {
    'sign-out everywhere': ({ browser }) => browser.request('/auth/sign-out-everywhere', { method: 'POST' }),
    'suspend-user': ({ user }) => app.storage.administration.suspendUser(user.id),
    'sign-out-user': ({ user }) => app.storage.administration.signOutUser(user.id),
    'delete-user': ({ user }) => app.storage.administration.deleteUser(user.id),
  };

  const userOf = async ({ browser }: Person) => (await (await browser.request('/auth/session')).json()).user;

  for (const [command, end] of Object.entries(commands)) {
    it(`is signed out on all devices immediately by ${command}, and no other user is`, async () => {
      const casey = await app.person({ provider: 'github', who: 'casey-example' });
      const laptop = await app.person();
      const phone = await app.person();
      await end(laptop);
      for (const device of [laptop, phone]) {
        expect((await app.live(device, question())).status).to.equal(401);
        expect(await userOf(device)).to.equal(null);
      }
      expect(await userOf(casey)).to.have.property('id', casey.user.id);
    });
  }

  it('receives the error line in a reply in progress', async () => {
    const avery = await app.person();
    app.provider.answerWith({ steps: [{ text: 'With the' }, { wait: new Promise(() => {}) }] });
    const response = await app.live(avery, question());
    await app.storage.administration.suspendUser(avery.user.id);
    expect(await response.text()).to.equal(`With the${errorLine}`);
  });

  it('stays signed in on other devices after signing out on one', async () => {
    const laptop = await app.person();
    const phone = await app.person();
    expect((await laptop.browser.request('/auth/sign-out', { method: 'POST' })).status).to.equal(204);
    expect(laptop.browser.cookies()).to.deep.equal([]);
    expect((await app.live(laptop, question())).status).to.equal(401);
    expect((await app.live(phone, question())).status).to.equal(200);
  });

  it('cannot sign in while suspended, but can after being restored', async () => {
    const avery = await app.person();
    await app.storage.administration.suspendUser(avery.user.id);
    const signIn = async () => locationOf(await createBrowser(app.url).signInWith('google', 'avery@example.com'));
    expect(await signIn()).to.equal('/sign-in?problem=suspended');
    await app.storage.administration.restoreUser(avery.user.id);
    expect(await signIn()).to.equal('/chat');
    expect((await app.live(avery, question())).status, 'the old session').to.equal(401);
  });
});
