import { expect } from 'chai';
import { describe, it } from 'mocha';
import { identify } from '../../../server/auth/identity.ts';

const profile = { id: 'subject-1', displayName: 'Avery Example', emails: [{ value: 'avery@example.com' }] };
const avery = { name: 'Avery Example', email: 'avery@example.com' };

describe('identify', () => {
  it('knows a person by the subject', () => {
    expect(identify('google', profile, false)).to.deep.equal({ provider: 'google', subject: 'subject-1', ...avery });
  });

  it('knows a person by the e-mail address at the emulators that invent subjects', () => {
    expect(identify('google', profile, true).subject).to.equal('avery@example.com');
    expect(identify('microsoft', profile, true).subject).to.equal('avery@example.com');
    expect(identify('github', profile, true).subject).to.equal('subject-1');
  });

  it('needs neither a name nor an e-mail address', () => {
    const nothing = { provider: 'microsoft', subject: '1', name: null, email: null };
    expect(identify('microsoft', { id: '1' }, true)).to.deep.equal(nothing);
    expect(identify('microsoft', { id: '1', displayName: null, emails: [] }, false)).to.deep.equal(nothing);
    expect(identify('microsoft', { id: '1', displayName: ' ', emails: [{ value: 7 }] }, false)).to.deep.equal(nothing);
  });

  it('takes the login for a missing name', () => {
    expect(identify('github', { id: '1', displayName: null, username: 'casey' }, false).name).to.equal('casey');
  });

  it('throws where no subject is named', () => {
    for (const id of [undefined, null, '']) expect(() => identify('google', { ...profile, id }, false)).to.throw();
  });
});
