import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createBrowser, locationOf } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
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
    'delete from sessions': () => app.storage.rows('delete from sessions'),
  };

  for (const [command, end] of Object.entries(commands)) {
    it(`is signed out on all devices immediately by ${command}`, async () => {
      const laptop = await app.person();
      const phone = await app.person();
      await end(laptop);
      for (const device of [laptop, phone]) {
        expect((await app.live(device, question())).status).to.equal(401);
        const { user } = await (await device.browser.request('/auth/session')).json();
        expect(user).to.equal(null);
      }
    });
  }

  for (const command of ['sign-out everywhere', 'suspend-user', 'sign-out-user']) {
    it(`receives the error line in a reply in progress after ${command}, and the text sent so far is stored`, async () => {
      const avery = await app.person();
      const resume = Promise.withResolvers<void>();
      app.provider.answerWith({ steps: [{ text: 'With the' }, { wait: resume.promise }, { text: ' longest wait.' }] });
      const response = await app.live(avery, question());
      await commands[command]?.(avery);
      expect(await response.text()).to.equal(`With the${errorLine}`);
      resume.resolve();
      // The client would receive the same text if the provider went silent.
      const line = await eventually(() => app.lines.find(({ path }) => path === '/api/chat'));
      expect(line).to.include({ ending: 'aborted', code: 'UNAUTHENTICATED' });
      const [answer] = await app.storage.rows(
        "select content, stop_reason from chat_messages where role = 'ASSISTANT'",
      );
      expect(answer).to.deep.equal({ content: 'With the', stop_reason: null });
    });
  }

  it('leaves other users signed in', async () => {
    const casey = await app.person({ provider: 'github', who: 'casey-example' });
    for (const command of ['sign-out everywhere', 'sign-out-user', 'suspend-user', 'delete-user']) {
      await commands[command]?.(await app.person());
      const { user } = await (await casey.browser.request('/auth/session')).json();
      expect(user?.id, command).to.equal(casey.user.id);
      await app.storage.rows('update users set suspended_at = null');
    }
  });

  it('receives 401 if the sessions end before the first text of a reply', async () => {
    const avery = await app.person();
    const resume = Promise.withResolvers<void>();
    app.provider.answerWith({ steps: [{ wait: resume.promise }, { text: 'Late.' }] });
    const pendingResponse = app.live(avery, question());
    await app.provider.request(1);
    await app.storage.administration.suspendUser(avery.user.id);
    const response = await pendingResponse;
    resume.resolve();
    expect(response.status).to.equal(401);
    expect(await response.text()).to.equal('UNAUTHENTICATED: Sign in to continue.');
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

describe('a user who signs out in the process that is sending them a reply', () => {
  // Only the sign-out itself can end the reply.
  const app = perTest(() => createTestApp({ replyWatchMilliseconds: 2 ** 31 - 1 }));

  for (const path of ['/auth/sign-out', '/auth/sign-out-everywhere']) {
    it(`receives the error line immediately after POST ${path}`, async () => {
      const avery = await app.person();
      app.provider.answerWith({ steps: [{ text: 'With the' }, { wait: new Promise(() => {}) }] });
      const response = await app.live(avery, question());
      expect((await avery.browser.request(path, { method: 'POST' })).status).to.equal(204);
      expect(await response.text()).to.equal(`With the${errorLine}`);
    });
  }
});
