import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  addEntry,
  byField,
  complaints,
  emptyForm,
  type Form,
  toJoiningRequest,
  toRequest,
} from '../../../client/onboarding/form.ts';
import { joiningSchema, onboardingSchema } from '../../../shared/onboarding.ts';

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

const founding = { isJoining: false };
const joining = { isJoining: true };

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
    expect(complaints(filled, founding)).to.deep.equal({});
  });

  it('names the fields that are needed', () => {
    expect(complaints(emptyForm, founding)).to.deep.equal({
      'company.name': 'The company name is needed.',
      'company.industry': 'The industry is needed.',
      'profile.role': 'Your role is needed.',
    });
  });

  it('asks somebody who joins an organization nothing about it, and says nothing about it either', () => {
    expect(complaints(emptyForm, joining)).to.deep.equal({ 'profile.role': 'Your role is needed.' });
    expect(complaints({ ...emptyForm, role: 'Adviser' }, joining)).to.deep.equal({});
    expect(toJoiningRequest(filled)).to.deep.equal({
      profile: { role: 'Head of operations' },
      engagement: { hypotheses: ['Changeovers cost a day a week'], unknowns: [] },
    });
    expect(joiningSchema.safeParse(toJoiningRequest(filled)).success).to.equal(true);
  });

  it('complains about an entry by its id, whatever is blank before it', () => {
    const unknowns = [
      { id: 4, text: '' },
      { id: 7, text: 'What waiting costs' },
      { id: 9, text: '?'.repeat(501) },
    ];
    expect(complaints({ ...filled, unknowns }, founding)).to.deep.equal({
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
