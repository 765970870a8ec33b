import { expect } from 'chai';
import { describe, it } from 'mocha';
import { loadConfig } from '../../../server/config/config.ts';
import { checkSignIn } from '../../../server/doctor/check-sign-in.ts';

describe('checkSignIn', () => {
  it('says the callback address to register with each configured provider, and no other', async () => {
    const findings = await checkSignIn(
      loadConfig({
        PUBLIC_URL: 'https://chat.example.com',
        ...{ GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'a secret' },
        ...{ MICROSOFT_CLIENT_ID: 'id', MICROSOFT_CLIENT_SECRET: 'a secret' },
      }),
    );
    expect(findings.map(({ outcome, text }) => `${outcome}: ${text}`)).to.deep.equal([
      'ok: The callback address to register with Google is https://chat.example.com/auth/google/callback.',
      'ok: The callback address to register with Microsoft is https://chat.example.com/auth/microsoft/callback.',
    ]);
  });
});
