import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createElement } from 'react';
import { messages } from '../../../client/language/messages/en.ts';
import { type FormValues, saveForm } from '../../../client/onboarding/form.ts';
import { client, controlsIn, renderedPage, textOf } from '../ui/rendered-page.ts';

const { onboarding, onboardingChoices, hypotheses, unknowns } = messages;

function htmlOf({ shared, form = { texts: {}, entries: {} } }: { shared?: true; form?: FormValues } = {}): string {
  const organization = { id: 'an-organization', name: 'Harbor Foods', ...(shared && { shared }) };
  const user = { id: 'avery', name: 'Avery', email: null, onboarded: false, organization };
  const prepare = () => saveForm('avery', form);
  return renderedPage(createElement(client.OnboardingForm, { user }), { prepare });
}

/** Returns the label of each field, and whether it is marked as optional. */
function fieldsIn(html: string): [label: string, isOptional: boolean][] {
  return Array.from(
    html.matchAll(/<label for="[^"]*">([^<]*)<\/label>(<span class="optional">)?/g),
    ([, label = '', optional]) => [label, optional !== undefined],
  );
}

describe('The onboarding form', () => {
  const lists: [string, boolean][] = [
    ['Hypothesis 1', false],
    ['Unknown 1', false],
  ];

  it('asks about the company, the role and the engagement', () => {
    const html = htmlOf();
    expect(fieldsIn(html)).to.deep.equal([
      [onboarding.companyName, false],
      [onboarding.industry, false],
      [onboarding.companySize, true],
      [onboarding.role, false],
      [onboarding.focus, true],
      ...lists,
    ]);
    expect(html, 'no errors before the first attempt')
      .to.not.include('aria-invalid="true"')
      .and.not.include('field-error');
    const text = textOf(html);
    expect(text).to.include(onboarding.focusHint).and.include(hypotheses.hint).and.include(unknowns.hint);
    expect(text).to.not.include('You’re joining');
    expect(controlsIn(html).at(-1)).to.include({ name: onboarding.start, isDisabled: false });
  });

  it('does not ask a user who joins an organization about the company', () => {
    const html = htmlOf({ shared: true });
    expect(fieldsIn(html)).to.deep.equal([[onboarding.role, false], [onboarding.focus, true], ...lists]);
    expect(textOf(html)).to.include('You’re joining Harbor Foods .');
  });

  it('suggests values for the industry, the company size and the role', () => {
    const options = Array.from(htmlOf().matchAll(/role="option"[^>]*>([^<]*)/g), ([, option]) => option);
    const { industry, companySize, role } = onboardingChoices;
    const decoded = options.map((option) => option?.replaceAll('&amp;', '&'));
    expect(decoded).to.deep.equal([industry, companySize, role].flatMap((choices) => choices.split('\n')));
  });

  it('shows what the user entered before a reload', () => {
    const form: FormValues = {
      texts: { companyName: 'Harbor', focus: 'Lead time' },
      entries: { hypotheses: ['Too few castings', ''].map((text, index) => ({ id: index + 1, text })) },
    };
    const html = htmlOf({ form });
    const values = Array.from(html.matchAll(/ value="([^"]+)"/g), ([, value]) => value);
    expect(values).to.deep.equal(['Harbor', 'Too few castings']);
    expect(html).to.include('>Lead time</textarea>');
    expect(fieldsIn(html).map(([label]) => label)).to.include.members(['Hypothesis 1', 'Hypothesis 2', 'Unknown 1']);
    const removals = controlsIn(html).flatMap(({ name }) => (/^Remove/.test(name) ? [name] : []));
    expect(removals).to.deep.equal(['Remove hypothesis 1', 'Remove hypothesis 2']);
  });
});
