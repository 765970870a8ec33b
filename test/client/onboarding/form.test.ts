import { expect } from 'chai';
import { describe, it } from 'mocha';
import { addEntry, byField, complaints, emptyForm, type Form, toRequest } from '../../../client/onboarding/form.ts';
import { onboardingSchema } from '../../../shared/onboarding.ts';

const filled: Form = {
  companyName: 'Northwind Pumps',
  industry: 'Manufacturing',
  companySize: ' ',
  role: 'Head of operations',
  focus: '',
  hypotheses: [
    { id: 1, text: 'Changeovers cost a day a week' },
    { id: 2, text: '  ' },
  ],
  unknowns: [],
};

describe('The onboarding form', () => {
  it('leaves out what is optional and blank', () => {
    expect(toRequest(filled)).to.deep.equal({
      company: { name: 'Northwind Pumps', industry: 'Manufacturing' },
      profile: { role: 'Head of operations' },
      engagement: { hypotheses: ['Changeovers cost a day a week'], unknowns: [] },
    });
  });

  it('makes a request that the service takes', () => {
    expect(onboardingSchema.safeParse(toRequest(filled)).success).to.equal(true);
    expect(complaints(filled)).to.deep.equal({});
  });

  it('names the fields that are needed', () => {
    expect(complaints(emptyForm)).to.deep.equal({
      'company.name': 'The company name is needed.',
      'company.industry': 'The industry is needed.',
      'profile.role': 'Your role is needed.',
    });
  });

  it('complains about an entry by its id, whatever is blank before it', () => {
    const unknowns = [
      { id: 4, text: '' },
      { id: 7, text: 'What waiting costs' },
      { id: 9, text: '?'.repeat(501) },
    ];
    expect(complaints({ ...filled, unknowns })).to.deep.equal({
      'engagement.unknowns.9': 'An unknown can have at most 500 characters.',
    });
  });

  it('puts the complaints of the service at the fields that they are about', () => {
    const errors = { 'company.name': 'No.', 'engagement.hypotheses': 'Too many.', 'engagement.hypotheses.0': 'No.' };
    const hypotheses = [
      { id: 2, text: '' },
      { id: 3, text: 'Changeovers cost a day a week' },
    ];
    expect(byField({ ...filled, hypotheses }, errors)).to.deep.equal({
      'company.name': 'No.',
      'engagement.hypotheses': 'Too many.',
      'engagement.hypotheses.3': 'No.',
    });
  });

  it('gives a new entry an id of its own', () => {
    expect(addEntry([])).to.deep.equal([{ id: 1, text: '' }]);
    expect(addEntry(filled.hypotheses).at(-1)).to.deep.equal({ id: 3, text: '' });
  });
});
