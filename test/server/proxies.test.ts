import { expect } from 'chai';
import { describe, it } from 'mocha';
import { loadConfig } from '../../server/config/config.ts';
import { withoutSecrets } from '../../server/config/secrets.ts';
import { proxyFor } from '../../server/proxies.ts';

const [secure, plain] = ['http://proxy:3128/', 'http://other:3128/'];

function proxyOf(address: string, noProxy = ''): string | undefined {
  const { proxies } = loadConfig({ HTTPS_PROXY: secure, HTTP_PROXY: plain, NO_PROXY: noProxy });
  return proxyFor(proxies, address);
}

describe('the proxy of a request', () => {
  it('depends on the protocol of the address', () => {
    expect(proxyOf('https://api.example.com/v1')).to.equal(secure);
    expect(proxyOf('http://api.example.com')).to.equal(plain);
    expect(proxyFor(loadConfig({ HTTPS_PROXY: secure }).proxies, 'http://api.example.com')).to.equal(undefined);
  });

  it('is never used for this machine', () => {
    for (const host of ['localhost', 'model.localhost', '127.0.0.1', '127.8.7.6', '[::1]']) {
      expect(proxyOf(`http://${host}:4000`), host).to.equal(undefined);
    }
  });

  for (const [noProxy, direct, proxied] of [
    ['example.com', ['example.com', 'api.example.com', 'EXAMPLE.com.'], ['badexample.com', 'example.com.org']],
    ['.example.com, other.org', ['api.example.com', 'other.org'], ['badexample.com']],
    ['*.example.com other.org', ['a.b.example.com', 'other.org'], ['badexample.com']],
    ['Example.com:8443', ['example.com:8443'], ['example.com', 'example.com:444']],
    ['example.com:443', ['example.com'], ['example.com:444']],
    ['10.1.2.3', ['10.1.2.3'], ['10.1.2.4', '110.1.2.3']],
    ['10.0.0.0/8,fd00::/8', ['10.200.3.4', '[fd12::1]'], ['11.0.0.1', '[fe80::1]', 'api.example.com']],
    ['fd12::1', ['[fd12::1]', '[fd12::1]:8443'], ['[fd12::2]']],
    ['[fd12::1]:8443', ['[fd12::1]:8443'], ['[fd12::1]']],
    ['*', ['example.com', '10.1.2.3'], []],
    ['10.0.0.0/99,<local>,/,[', [], ['10.0.0.0', 'example.com']],
  ] as const) {
    it(`is not used for the hosts of NO_PROXY=${noProxy}`, () => {
      for (const host of direct) expect(proxyOf(`https://${host}`, noProxy), host).to.equal(undefined);
      for (const host of proxied) expect(proxyOf(`https://${host}`, noProxy), host).to.equal(secure);
    });
  }

  it('is read from the variables in lower case first, as other programs do', () => {
    const { proxies } = loadConfig({
      https_proxy: 'proxy:3128',
      HTTPS_PROXY: 'http://unused:3128',
      http_proxy: '',
      HTTP_PROXY: plain,
      no_proxy: 'example.com',
    });
    expect(proxies).to.deep.equal({ https: secure, http: plain, exceptions: ['example.com'] });
  });

  it('can have a password, which is redacted', () => {
    const config = loadConfig({ HTTPS_PROXY: 'chat:hunter%402@proxy:3128' });
    expect(config.proxies.https).to.equal('http://chat:hunter%402@proxy:3128/');
    expect(withoutSecrets('proxy refuses hunter@2', config)).to.equal('proxy refuses …');
  });
});
