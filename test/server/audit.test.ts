import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createBrowser } from '../support/browser.ts';
import { perTest } from '../support/per-suite.ts';
import { createTestApp } from '../support/test-app.ts';

describe('the audit trail', () => {
  const app = perTest(() => createTestApp());

  const events = () =>
    app.storage.rows('select action, actor, subject, address_hash, request_id from audit_events order by position');
  const actions = async () => (await events()).map(({ action }) => action);

  it('records and logs a sign-up, an onboarding and a sign-out, and the log has no error', async () => {
    const { browser, user } = await app.person();
    const requestId = 'leaving'.padEnd(200, '.');
    await browser.request('/auth/sign-out', { method: 'POST', headers: { 'X-Request-Id': requestId } });
    expect(await actions()).to.deep.equal(['signed-up', 'onboarded', 'signed-out']);
    for (const event of await events()) expect(event).to.include({ actor: user.id, subject: user.id });
    for (const { address_hash } of await events()) expect(address_hash).to.match(/^[\w-]{22}$/);
    expect((await events()).at(-1)).to.include({ request_id: requestId.slice(0, 128) });
    const lines = app.lines.filter(({ audit }) => audit === true);
    expect(lines[0]).to.include({ provider: 'google' });
    expect(lines.map(({ action, userId }) => ({ action, userId }))).to.deep.equal([
      { action: 'signed-up', userId: user.id },
      { action: 'onboarded', userId: user.id },
      { action: 'signed-out', userId: user.id },
    ]);
    expect(app.lines.filter(({ err }) => err !== undefined)).to.deep.equal([]);
  });

  it('records the provider of a sign-in, the invitation of a sign-up, and the number of sessions that a sign-out has ended', async () => {
    const { administration } = app.storage;
    const [used, ignored] = [await administration.invite({ days: 1 }), await administration.invite({ days: 1 })];
    await app.storage.rows('delete from audit_events');
    const [laptop, phone] = [createBrowser(app.url), createBrowser(app.url)];
    await laptop.signInWith('google', 'avery@example.com', { invitation: used.token });
    await phone.signInWith('google', 'avery@example.com', { invitation: ignored.token });
    await phone.request('/auth/sign-out-everywhere', { method: 'POST' });
    expect(await app.storage.rows('select action, details from audit_events order by position')).to.deep.equal([
      { action: 'signed-up', details: { provider: 'google', invitation: used.id } },
      { action: 'signed-in', details: { provider: 'google' } },
      { action: 'signed-out-everywhere', details: { sessions: 2 } },
    ]);
    const logged = app.lines.filter(({ audit }) => audit === true).map(({ action }) => action);
    expect(logged).to.deep.equal(await actions());
  });

  it('stores a hash of each client address, but never the address itself', async () => {
    const avery = await app.person();
    const from = (address: string) =>
      avery.browser.request('/auth/sign-out-everywhere', { method: 'POST', headers: { 'X-Forwarded-For': address } });
    await app.storage.rows('delete from audit_events');
    for (const address of ['203.0.113.1', '203.0.113.1', '203.0.113.2']) {
      await avery.browser.signInWith('google', 'avery@example.com');
      await from(address);
    }
    const [one, again, other] = (await events()).filter(({ action }) => action === 'signed-out-everywhere');
    expect(one?.address_hash).to.match(/^[\w-]{22}$/);
    expect(again?.address_hash).to.equal(one?.address_hash);
    expect(other?.address_hash).not.to.equal(one?.address_hash);
    expect(JSON.stringify(await events())).not.to.include('203.0.113');
    expect(JSON.stringify(app.lines)).not.to.include('203.0.113');
  });

  it('defines an event for every operator command, including commands that only read', async () => {
    const { user } = await app.person();
    const { administration } = app.storage;
    await app.storage.rows('delete from audit_events');
    await administration.listUsers();
    const invited = await administration.invite({ days: 1 });
    await administration.revokeInvitation(invited.id);
    await administration.suspendUser(user.id);
    await administration.deleteUser(user.id);
    expect(await events()).to.deep.equal(
      [
        ['list-users', null],
        ['invite', invited.id],
        ['revoke-invitation', invited.id],
        ['suspend-user', user.id],
        ['delete-user', user.id],
        ['deleted-user', user.id],
      ].map(([action, subject]) => ({
        action,
        actor: 'operator of the tests',
        subject,
        address_hash: null,
        request_id: null,
      })),
    );
  });

  it('fails the operation if the event cannot be stored', async () => {
    await app.storage.rows('alter table audit_events add constraint closed check (false) not valid');
    const response = await createBrowser(app.url).signInWith('google', 'avery@example.com');
    expect(response.status).to.equal(500);
    expect(await app.storage.rows('select id from users')).to.deep.equal([]);
  });
});
