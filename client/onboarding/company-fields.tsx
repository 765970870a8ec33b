import type { FieldErrors } from '../../shared/onboarding.ts';
import { Field } from '../ui/field.tsx';
import { choices } from './choices.ts';
import type { Form } from './form.ts';

type CompanyFieldsProps = { form: Form; set: (changed: Partial<Form>) => void; errors: FieldErrors };

/** What describes an organization: asked of its first member alone. */
export function CompanyFields({ form, set, errors }: CompanyFieldsProps) {
  return (
    <>
      <Field
        id="company.name"
        label="Company name"
        autoComplete="organization"
        value={form.companyName}
        onChange={(companyName) => set({ companyName })}
        error={errors['company.name']}
      />
      <div className="form-row">
        <Field
          id="company.industry"
          label="Industry"
          choices={choices.industry}
          value={form.industry}
          onChange={(industry) => set({ industry })}
          error={errors['company.industry']}
        />
        <Field
          id="company.size"
          label="Company size"
          optional
          choices={choices.companySize}
          value={form.companySize}
          onChange={(companySize) => set({ companySize })}
          error={errors['company.size']}
        />
      </div>
    </>
  );
}
