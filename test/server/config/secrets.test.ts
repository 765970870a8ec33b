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
      { REDIS_SENTINELS: `${login},other`, REDIS_SENTINEL_NAME: 'advisory' },
      { REDIS_SENTINELS: 'one?sentinel_password=hunter%402', REDIS_SENTINEL_NAME: 'advisory' },
    ]) {
      const text = withoutSecrets('one refuses hunter@2, which is hunter%402', loadConfig(variables));
      expect(text, JSON.stringify(variables)).to.equal('one refuses …, which is …');
    }
  });
});
