import { routes } from '../../shared/interface.ts';
import { type FieldErrors, fieldErrorsSchema, type JoiningForm, type OnboardingForm } from '../../shared/onboarding.ts';
import { Refused } from '../session/refused.ts';

/** `onboarded` also where the person had been onboarded before. */
export type Submission = { type: 'onboarded' } | { type: 'invalid'; errors: FieldErrors };

/** Posts the onboarding form. Throws `Refused` where the session has ended, another error where there is no usable answer. */
export async function submitOnboarding(form: OnboardingForm | JoiningForm): Promise<Submission> {
  const response = await fetch(routes.onboarding, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(form),
  });
  if (response.ok || response.status === 409) return { type: 'onboarded' };
  if (response.status === 401) throw new Refused('The session has ended.');
  if (response.status === 422) return { type: 'invalid', errors: fieldErrorsSchema.parse(await response.json()) };
  throw new Error(`Onboarding failed: status ${response.status}.`);
}
