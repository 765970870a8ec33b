import { expect } from 'chai';
import { describe, it } from 'mocha';
import { openConfiguredSignIn } from '../../../server/startup/configured-parts.ts';

const client = { clientId: 'id', clientSecret: 'secret' };

describe('openConfiguredSignIn', () => {
  it('uses the configured emulator of a provider, and the default endpoints of a provider without an emulator', async () => {
    await using opened = new AsyncDisposableStack();
    const google = { ...client, baseUrl: 'http://127.0.0.1:4001' };
    const providers = { google, github: client, microsoft: client };
    expect(await openConfiguredSignIn({ production: false, providers }, opened)).to.deep.equal({
      google: {
        ...client,
        idField: 'email',
        endpoints: {
          authorizationURL: 'http://127.0.0.1:4001/o/oauth2/v2/auth',
          tokenURL: 'http://127.0.0.1:4001/oauth2/token',
          userProfileURL: 'http://127.0.0.1:4001/oauth2/v2/userinfo',
        },
      },
      github: client,
      microsoft: client,
    });
  });

  it('emulates no provider in production', async () => {
    await using opened = new AsyncDisposableStack();
    const providers = { google: client };
    expect(await openConfiguredSignIn({ production: true, providers }, opened)).to.deep.equal(providers);
  });
});
