import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  addEntry,
  entriesOf,
  type FormValues,
  isOptional,
  loadForm,
  readForm,
  saveForm,
  sentencesByField,
  submitOnboarding,
  validateForm,
} from '../../../client/onboarding/form.ts';
import { SessionRejectedError } from '../../../client/session/session.ts';
import { steadyNow } from '../../../client/steady-now.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';

const emptyForm: FormValues = { texts: {}, entries: {} };

const filled: FormValues = {
  texts: { companyName: 'Northwind Pumps', industry: 'Manufacturing', companySize: ' ', role: 'Head of operations' },
  entries: {
    hypotheses: [
      { id: 1, text: 'Changeovers cost a day a week' },
      { id: 2, text: '  ' },
    ],
    unknowns: [],
  },
};

const founding = { isJoining: false };
const joining = { isJoining: true };

describe('The onboarding form', () => {
  const profile = { role: 'Head of operations' };
  const engagement = { hypotheses: ['Changeovers cost a day a week'], unknowns: [] };
  const company = { name: 'Northwind Pumps', industry: 'Manufacturing' };
  const required = (...fields: string[]) => fields.map((field) => ({ field, code: 'required' }));

  it('omits blank optional fields from the request', () => {
    expect(readForm(filled, founding).data).to.deep.equal({ company, profile, engagement });
    expect(validateForm(filled, founding)).to.deep.equal([]);
  });

  it('treats a text without a visible character as blank', () => {
    const validateName = (companyName: string) =>
      validateForm({ ...filled, texts: { ...filled.texts, companyName } }, founding);
    for (const character of ['\u200b', '\u3164', '\u00ad', '\u2800', '\u115f', '\u0001'])
      expect(validateName(` ${character}${character}`), character).to.deep.equal(required('company.name'));
    expect(validateName('می\u200cخواهم')).to.deep.equal([]);
  });

  it('reports the required fields, which are not the company size and the focus', () => {
    expect(validateForm(emptyForm, founding)).to.deep.equal(
      required('company.name', 'company.industry', 'profile.role'),
    );
    const paths = ['company.name', 'company.industry', 'company.size', 'profile.role', 'engagement.focus'] as const;
    expect(paths.filter(isOptional)).to.deep.equal(['company.size', 'engagement.focus']);
  });

  it('neither requires nor sends the organization of a joining member', () => {
    expect(validateForm(emptyForm, joining)).to.deep.equal(required('profile.role'));
    expect(readForm(filled, joining).data).to.deep.equal({ profile, engagement });
  });

  it('gives each added statement a unique id, even after one has been removed', () => {
    const first = entriesOf(emptyForm, 'unknowns');
    const three = addEntry(addEntry(first));
    expect(three).to.deep.equal([1, 2, 3].map((id) => ({ id, text: '' })));
    expect(addEntry(three.slice(1)).map(({ id }) => id)).to.deep.equal([2, 3, 4]);
    expect(addEntry([])).to.deep.equal([{ id: 1, text: '' }]);
  });

  it('reports the error of an entry under the id of the entry, even after blank entries', () => {
    const unknowns = [
      { id: 4, text: '' },
      { id: 7, text: 'What waiting costs' },
      { id: 9, text: '?'.repeat(501) },
    ];
    expect(validateForm({ ...filled, entries: { unknowns } }, founding)).to.deep.equal([
      { field: 'engagement.unknowns.9', code: 'tooLong', limit: 500 },
    ]);
  });

  it('maps the error messages of the service to the fields', () => {
    const errors = { 'company.name': 'No.', 'engagement.hypotheses': 'Too many.', 'engagement.hypotheses.0': 'No.' };
    const hypotheses = [
      { id: 2, text: '' },
      { id: 3, text: 'Changeovers cost a day a week' },
    ];
    expect(sentencesByField({ ...filled, entries: { hypotheses } }, errors)).to.deep.equal({
      'company.name': 'No.',
      'engagement.hypotheses': 'Too many.',
      'engagement.hypotheses.3': 'No.',
    });
  });
});

describe('submitOnboarding', () => {
  const form = { profile: { role: 'Head of operations' }, engagement: { hypotheses: [], unknowns: [] } };
  const { fetch } = globalThis;
  afterEach(() => {
    globalThis.fetch = fetch;
  });

  const respondWith = (status: number, headers = {}) => {
    globalThis.fetch = async () => new Response(null, { status, headers });
  };

  for (const [status, reason] of [
    [204, 'the service accepts it'],
    [409, 'the user has completed onboarding in another tab'],
  ] as const) {
    it(`resolves as onboarded when ${reason}`, async () => {
      respondWith(status);
      expect(await submitOnboarding(form)).to.deep.equal({ type: 'onboarded' });
    });
  }

  it('requires a wait of one minute after a 429 without a usable Retry-After', async () => {
    respondWith(429, { 'Retry-After': '1893456000' });
    const earliest = steadyNow() + 60_000;
    const submission = await submitOnboarding(form);
    expect(submission.type).to.equal('limited');
    expect('resumesAt' in submission && submission.resumesAt).to.be.within(earliest, steadyNow() + 60_000);
  });

  it('rejects with SessionRejectedError if the session has ended', async () => {
    respondWith(401);
    const error = await submitOnboarding(form).catch((error: unknown) => error);
    expect(error).to.be.an.instanceOf(SessionRejectedError);
  });
});

describe('A form stored in the tab', () => {
  let sessionStorage = createFakeStorage();

  beforeEach(() => {
    sessionStorage = createFakeStorage();
    Object.assign(globalThis, { window: { sessionStorage } });
  });
  afterEach(() => Reflect.deleteProperty(globalThis, 'window'));

  it('is loaded unchanged, but only for the user who entered it', () => {
    expect(loadForm('avery')).to.deep.equal(emptyForm);
    saveForm('avery', filled);
    expect(loadForm('avery')).to.deep.equal(filled);
    expect(loadForm('blake')).to.deep.equal(emptyForm);
  });

  it('is read field by field, without invalid fields, if another release has stored it', () => {
    saveForm('avery', filled);
    const [key = '', text = ''] = [...sessionStorage.items][0] ?? [];
    // Another release can have more keys, and another type of entry.
    sessionStorage.setItem(
      key,
      JSON.stringify({ ...JSON.parse(text), industry: 7, unknowns: ['What waiting costs'], country: 'Peru' }),
    );
    const { industry: _, ...texts } = filled.texts;
    const { hypotheses } = filled.entries;
    expect(loadForm('avery')).to.deep.equal({ texts: { ...texts, country: 'Peru' }, entries: { hypotheses } });
    for (const lost of ['null', '[']) {
      sessionStorage.setItem(key, lost);
      expect(loadForm('avery')).to.deep.equal(emptyForm);
    }
  });
});
