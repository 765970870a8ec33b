import { expect } from 'chai';
import { describe, it } from 'mocha';
import { loadConfig } from '../../../server/config/config.ts';
import { withoutSecrets } from '../../../server/config/secrets.ts';

describe('withoutSecrets', () => {
  it('redacts the passwords of Redis in every form of its address', () => {
    const login = 'redis://chat:hunter%402@one';
    for (const variables of [
      { REDIS_URL: login },
      { REDIS_CLUSTER: `${login},other` },
      { REDIS_CLUSTER: 'chat:hunter%402@one,other' },
      { REDIS_SENTINELS: `${login},other`, REDIS_SENTINEL_NAME: 'advisory' },
      { REDIS_SENTINELS: 'one?sentinel_password=hunter%402', REDIS_SENTINEL_NAME: 'advisory' },
    ]) {
      const text = withoutSecrets('one refuses hunter@2, which is hunter%402', loadConfig(variables));
      expect(text, JSON.stringify(variables)).to.equal('one refuses …, which is …');
    }
  });

  it('redacts the whole of a secret that begins with another secret, whichever of the two is configured first', () => {
    const [short, long] = ['hunter', 'hunter2-of-the-client'];
    for (const [anthropic, github] of [
      [short, long],
      [long, short],
    ]) {
      const config = loadConfig({
        ANTHROPIC_API_KEY: anthropic,
        GITHUB_CLIENT_ID: 'client',
        GITHUB_CLIENT_SECRET: github,
      });
      expect(withoutSecrets(`${long} and ${short}`, config)).to.equal('… and …');
    }
  });
});
