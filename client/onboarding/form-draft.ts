import { deviceKeys, deviceStorage } from '../device/device-storage.ts';
import { parseJson } from '../parse-json.ts';
import { emptyForm, type Form, formSchema } from './form.ts';

/** Keeps the form over a reload and a sign-in, for as long as the tab is open. */
export function keepForm(userId: string, form: Form): void {
  try {
    deviceStorage('sessionStorage').setItem(deviceKeys.onboardingForm(userId), JSON.stringify(form));
  } catch {
    // The storage is full: the person types again.
  }
}

/** The form that this person had begun in this tab, or an empty one. */
export function keptForm(userId: string): Form {
  const kept = deviceStorage('sessionStorage').getItem(deviceKeys.onboardingForm(userId));
  return formSchema.safeParse(parseJson(kept)).data ?? emptyForm;
}

export function dropForm(userId: string): void {
  deviceStorage('sessionStorage').removeItem(deviceKeys.onboardingForm(userId));
}
