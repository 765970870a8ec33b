import { expect } from 'chai';
import { describe, it } from 'mocha';
import { addEntry, emptyForm, type Form, toRequest, withoutBlankEntries } from '../../../client/onboarding/form.ts';
import { fieldErrors, onboardingSchema } from '../../../shared/onboarding.ts';

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
    expect(toRequest(withoutBlankEntries(filled))).to.deep.equal({
      company: { name: 'Northwind Pumps', industry: 'Manufacturing' },
      profile: { role: 'Head of operations' },
      engagement: { hypotheses: ['Changeovers cost a day a week'], unknowns: [] },
    });
  });

  it('makes a request that the service takes', () => {
    expect(onboardingSchema.safeParse(toRequest(withoutBlankEntries(filled))).success).to.equal(true);
  });

  it('names the fields that are needed', () => {
    const { error } = onboardingSchema.safeParse(toRequest(emptyForm));
    expect(error && fieldErrors(error)).to.deep.equal({
      'company.name': 'The company name is needed.',
      'company.industry': 'The industry is needed.',
      'profile.role': 'Your role is needed.',
    });
  });

  it('gives a new entry an id of its own', () => {
    expect(addEntry([])).to.deep.equal([{ id: 1, text: '' }]);
    expect(addEntry(filled.hypotheses).at(-1)).to.deep.equal({ id: 3, text: '' });
  });
});
