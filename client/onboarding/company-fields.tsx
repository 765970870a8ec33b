import { useTranslations } from 'use-intl/react';
import type { FieldErrors } from '../../shared/onboarding.ts';
import { Field } from '../controls/field.tsx';
import type { Form } from './form.ts';

type CompanyFieldsProps = { form: Form; set: (changed: Partial<Form>) => void; errors: FieldErrors };

/** What describes an organization: asked of its first member alone. */
export function CompanyFields({ form, set, errors }: CompanyFieldsProps) {
  const say = useTranslations('onboarding');
  const choices = useTranslations('onboardingChoices');
  return (
    <>
      <Field
        id="company.name"
        label={say('companyName')}
        autoComplete="organization"
        value={form.companyName}
        onChange={(companyName) => set({ companyName })}
        error={errors['company.name']}
      />
      <div className="form-row">
        <Field
          id="company.industry"
          label={say('industry')}
          choices={choices('industry').split('\n')}
          value={form.industry}
          onChange={(industry) => set({ industry })}
          error={errors['company.industry']}
        />
        <Field
          id="company.size"
          label={say('companySize')}
          optional
          choices={choices('companySize').split('\n')}
          value={form.companySize}
          onChange={(companySize) => set({ companySize })}
          error={errors['company.size']}
        />
      </div>
    </>
  );
}
