import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pages } from '../../shared/interface.ts';
import { people } from './support/people.ts';
import { fillOnboarding, signInAs } from './support/sign-in.ts';
import { visit } from './support/visit.ts';

describe('onboarding in the browser', () => {
  it('complains at the fields, goes to the first of them, and loses nothing', async () => {
    const page = await visit(pages.signIn);
    await signInAs(page, people.newAndCareless);
    await page.getByLabel('Your role').fill('Head of operations');
    await page.getByRole('button', { name: 'Add an unknown' }).click();
    await page.getByRole('textbox', { name: 'Unknown 1' }).fill('?'.repeat(501));
    await page.getByRole('button', { name: 'Start the engagement' }).click();

    const company = page.getByLabel('Company name');
    await page.getByRole('alert').filter({ hasText: 'Some fields need another look.' }).waitFor();
    const complaints: [string, string][] = [
      ['Company name', 'The company name is needed.'],
      ['Industry', 'The industry is needed.'],
      ['Unknown 1', 'An unknown can have at most 500 characters.'],
    ];
    for (const [label, sentence] of complaints) {
      const field = page.getByRole('textbox', { name: label, description: sentence });
      expect(await field.getAttribute('aria-invalid')).to.equal('true');
    }
    expect(await page.locator('[aria-invalid=true]').count()).to.equal(complaints.length);
    expect(await company.evaluate((field) => field === document.activeElement)).to.equal(true);
    expect(await page.getByLabel('Your role').inputValue()).to.equal('Head of operations');

    await page.getByRole('button', { name: 'Remove unknown 1' }).click();
    await fillOnboarding(page);
    await page.waitForURL(pages.chat);
  });
});
