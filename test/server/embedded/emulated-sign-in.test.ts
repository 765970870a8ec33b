import { expect } from 'chai';
import { describe, it } from 'mocha';
import { startEmulatedSignIn } from '../../../server/embedded/emulated-sign-in.ts';

describe('startEmulatedSignIn', () => {
  it('starts the named providers and no others, on loopback', async () => {
    const { settings, close } = await startEmulatedSignIn(['github', 'google']);
    expect(Object.keys(settings)).to.have.members(['github', 'google']);
    expect(settings.google?.baseUrl).to.match(/^http:\/\/127\.0\.0\.1:\d+$/);
    await close();
  });

  it('offers example people, one of them without an e-mail address', async () => {
    const { settings, close } = await startEmulatedSignIn(['github']);
    const page = await (await fetch(`${settings.github?.baseUrl}/login/oauth/authorize`)).text();
    expect(page).to.include('avery@example.com').and.include('casey-example').and.not.include('casey@');
    await close();
  });

  it('refuses connections once it is closed', async () => {
    const { settings, close } = await startEmulatedSignIn(['microsoft']);
    await close();
    const outcome = await fetch(`${settings.microsoft?.baseUrl}/`).catch(() => 'refused');
    expect(outcome).to.equal('refused');
  });
});
