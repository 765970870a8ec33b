import { globSync } from 'node:fs';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readText } from '../support/document.ts';
import { root } from '../support/served-process.ts';

const sources = globSync('{server,shared,client}/**/*.{ts,tsx}', { cwd: root });
const calls = (pattern: RegExp) =>
  sources.flatMap((file) => [...readText(file).matchAll(pattern)].map(([text]) => `${file}: ${text}`));

describe('cryptography in our own code', () => {
  it("is Node's and the browser's alone, with SHA-256 or longer and no cipher", () => {
    expect(
      calls(/createHash\((?!'sha(256|384|512)'\))[^)]*\)|createHmac\((?!'sha(256|384|512)')[^)]*\)/g),
    ).to.deep.equal([]);
    expect(calls(/createCipheriv|createDecipheriv|pbkdf2|createSign\b|generateKeyPair/g)).to.deep.equal([]);
  });

  it('takes what nobody may guess from a secure source of randomness: only request ids are made otherwise', () => {
    expect(calls(/Math\.random/g)).to.deep.equal(['server/http/requests/request-id.ts: Math.random']);
  });
});
