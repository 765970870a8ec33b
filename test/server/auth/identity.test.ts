import { expect } from 'chai';
import { describe, it } from 'mocha';
import { identify } from '../../../server/auth/identity.ts';

const profile = { id: 'subject-1', displayName: 'Avery Example', emails: [{ value: 'avery@example.com' }] };
const avery = { name: 'Avery Example', email: 'avery@example.com', emailVerified: false };
const real = { emulated: false, believed: false };
const emulated = { emulated: true, believed: false };

describe('identify', () => {
  it('knows a person by the subject', () => {
    expect(identify('google', profile, real)).to.deep.equal({ provider: 'google', subject: 'subject-1', ...avery });
  });

  it('knows a person by the e-mail address at the emulators that invent subjects', () => {
    expect(identify('google', profile, emulated).subject).to.equal('avery@example.com');
    expect(identify('microsoft', profile, emulated).subject).to.equal('avery@example.com');
    expect(identify('github', profile, emulated).subject).to.equal('subject-1');
  });

  it('needs neither a name nor an e-mail address', () => {
    const nothing = { provider: 'microsoft', subject: '1', name: null, email: null, emailVerified: false };
    expect(identify('microsoft', { id: '1' }, emulated)).to.deep.equal(nothing);
    expect(identify('microsoft', { id: '1', displayName: null, emails: [] }, real)).to.deep.equal(nothing);
    expect(identify('microsoft', { id: '1', displayName: ' ', emails: [{ value: 7 }] }, real)).to.deep.equal(nothing);
  });

  it('takes the login for a missing name', () => {
    expect(identify('github', { id: '1', displayName: null, username: 'casey' }, real).name).to.equal('casey');
  });

  it('takes an address for verified where the profile says so, or the provider is believed', () => {
    const verified = (value: unknown) => ({ ...profile, emails: [{ value: 'avery@example.com', verified: value }] });
    expect(identify('google', verified(true), real).emailVerified).to.equal(true);
    for (const word of [false, 'true', 1, undefined]) {
      expect(identify('google', verified(word), real).emailVerified).to.equal(false);
    }
    expect(identify('microsoft', profile, { ...real, believed: true }).emailVerified).to.equal(true);
    expect(identify('microsoft', { id: '1' }, { ...real, believed: true }).emailVerified).to.equal(false);
  });

  it('cuts a name that is long, and takes no address that mail cannot have', () => {
    const long = {
      id: '1',
      displayName: '\u{1F600}'.repeat(7_000),
      emails: [{ value: `${'a'.repeat(250)}@example.com` }],
    };
    expect(identify('google', long, real)).to.include({ name: '\u{1F600}'.repeat(200), email: null });
  });

  it('throws where no subject is named', () => {
    for (const id of [undefined, null, '', 'x'.repeat(256)])
      expect(() => identify('google', { ...profile, id }, real)).to.throw();
  });
});
