import { expect } from 'chai';
import { describe, it } from 'mocha';
import { loadBudgetSettings } from '../../../server/config/budget-settings.ts';

describe('loadBudgetSettings', () => {
  it('gives the budgets that are set, and none where nothing is, or only to nothing', () => {
    expect(loadBudgetSettings({ TOKENS_PER_DAY_USER: '2000000' })).to.deep.equal({
      user: 2_000_000,
      organization: undefined,
    });
    expect(loadBudgetSettings({ TOKENS_PER_DAY_USER: '', PORT: 'eighty' })).to.deep.equal({
      user: undefined,
      organization: undefined,
    });
  });
});
