import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { returnPath } from '../../../server/auth/return-path.ts';

const publicUrl = 'http://localhost:3000';

describe('returnPath', () => {
  for (const path of ['/', '/chat', '/chat?draft=1#end', '/onboarding', '/a//b', '/ünïcode']) {
    it(`keeps ${path}`, () => expect(returnPath(path, publicUrl)).to.equal(path));
  }

  const offSite = [
    undefined,
    '',
    'chat',
    ['/chat', '/chat'],
    'https://elsewhere.example/',
    '//elsewhere.example',
    '/\\elsewhere.example',
    '/\t/elsewhere.example',
    '/\n/elsewhere.example',
    'javascript:alert(1)',
  ];
  for (const path of offSite) {
    it(`goes to the chat in place of ${JSON.stringify(path)}`, () =>
      expect(returnPath(path, publicUrl)).to.equal('/chat'));
  }

  it('never leads off the site', () => {
    const confusing = fc.constantFrom('/', '\\', '.', '..', '@', ':', '%2f', '\t', '\n', 'elsewhere.example', 'http:');
    fc.assert(
      fc.property(fc.array(confusing), (parts) => {
        expect(new URL(returnPath(parts.join(''), publicUrl), publicUrl).origin).to.equal(publicUrl);
      }),
    );
  });
});
