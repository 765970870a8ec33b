import * as z from 'zod/mini';
import { routes } from '../../shared/interface.ts';
import { isObject } from '../../shared/is-object.ts';
import {
  type FieldError,
  type FieldPath,
  type FieldSentences,
  fieldErrors,
  fieldSentencesSchema,
  type ListPath,
  type MemberOnboarding,
  memberOnboardingSchema,
  type Onboarding,
  onboardingSchema,
} from '../../shared/onboarding.ts';
import { maxRetryAfterSeconds } from '../../shared/retry.ts';
import { deviceKeys, deviceStorage } from '../device/device-storage.ts';
import { parseJson } from '../parse-json.ts';
import { SessionRejectedError } from '../session/session.ts';
import { steadyNow } from '../steady-now.ts';
import { writeItem } from '../write-item.ts';

/** The presentation of a text field. Two fields of half width share a row. `key` names it in the messages and the stored form. */
type TextField = {
  key: string;
  autoComplete?: string;
  hasChoices?: true;
  isHalfWidth?: true;
  multiline?: true;
  hint?: string;
};

/** The text fields in page order. A schema field without an entry does not compile. */
export const textFields = {
  'company.name': { key: 'companyName', autoComplete: 'organization' },
  'company.industry': { key: 'industry', hasChoices: true, isHalfWidth: true },
  'company.size': { key: 'companySize', hasChoices: true, isHalfWidth: true },
  'profile.role': { key: 'role', autoComplete: 'organization-title', hasChoices: true },
  'engagement.focus': { key: 'focus', multiline: true, hint: 'focusHint' },
} as const satisfies Record<FieldPath, TextField>;

export const statementLists = {
  'engagement.hypotheses': { key: 'hypotheses', entry: 'hypothesis' },
  'engagement.unknowns': { key: 'unknowns', entry: 'unknown' },
} as const satisfies Record<ListPath, { key: string; entry: string }>;

const entrySchema = z.object({ id: z.number(), text: z.string() });

export type Entry = z.infer<typeof entrySchema>;

/** The values of the onboarding form, complete or not, by field key. An untouched field is absent. */
export type FormValues = { texts: Record<string, string>; entries: Record<string, Entry[]> };

/** A list starts with one empty statement. */
export function entriesOf({ entries }: FormValues, key: string): Entry[] {
  return entries[key] ?? [{ id: 1, text: '' }];
}

export function addEntry(entries: readonly Entry[]): Entry[] {
  return [...entries, { id: Math.max(0, ...entries.map(({ id }) => id)) + 1, text: '' }];
}

export function isOptional(path: FieldPath): boolean {
  const { error } = onboardingSchema.safeParse({ company: {}, profile: {} });
  return error === undefined || !fieldErrors(error).some(({ field }) => field === path);
}

type FormOptions = { isJoining: boolean };

/** Blank values are omitted from the request. */
export function readForm(form: FormValues, { isJoining }: FormOptions) {
  const body: Record<string, Record<string, unknown>> = { company: {}, profile: {}, engagement: {} };
  const put = (path: string, value: unknown) => {
    const [section = '', field = ''] = path.split('.');
    if (value !== undefined) Object.assign(body[section] ?? {}, { [field]: value });
  };
  for (const [path, { key }] of Object.entries(textFields)) put(path, form.texts[key]?.trim() || undefined);
  for (const [path, { key }] of Object.entries(statementLists))
    put(
      path,
      nonEmptyEntries(form, key).map(({ text }) => text),
    );
  return (isJoining ? memberOnboardingSchema : onboardingSchema).safeParse(body);
}

export function validateForm(form: FormValues, options: FormOptions): FieldError[] {
  const { error } = readForm(form, options);
  if (error === undefined) return [];
  return fieldErrors(error).map((each) => ({ ...each, field: fieldOf(form, each.field) }));
}

export function sentencesByField(form: FormValues, sentences: FieldSentences): FieldSentences {
  return Object.fromEntries(Object.entries(sentences).map(([path, sentence]) => [fieldOf(form, path), sentence]));
}

/**
 * Returns the field at a path of the request. An entry of a list is identified by its id (`engagement.unknowns.3`), so
 * that its error follows it when blank entries are skipped or others are removed.
 */
function fieldOf(form: FormValues, path: string): string {
  const list = Object.entries(statementLists).find(([list]) => path.startsWith(`${list}.`));
  if (list === undefined) return path;
  const [listPath, { key }] = list;
  const index = Number(path.slice(listPath.length + 1));
  return `${listPath}.${nonEmptyEntries(form, key)[index]?.id ?? index}`;
}

function nonEmptyEntries(form: FormValues, key: string): Entry[] {
  return entriesOf(form, key).filter(({ text }) => text.trim() !== '');
}

/** Persists the form for a reload or a sign-in, for the lifetime of the tab. */
export function saveForm(userId: string, { texts, entries }: FormValues): void {
  // If the storage is full, the form does not survive a reload.
  const stored = JSON.stringify({ ...texts, ...entries });
  writeItem(deviceStorage('sessionStorage'), deviceKeys.onboardingForm(userId), stored);
}

/** Returns the stored form of this user, or an empty one. It is read field by field, because another release may have stored it. */
export function loadForm(userId: string): FormValues {
  const stored = parseJson(deviceStorage('sessionStorage').getItem(deviceKeys.onboardingForm(userId)));
  const form: FormValues = { texts: {}, entries: {} };
  for (const [key, value] of Object.entries(isObject(stored) ? stored : {})) {
    const entries = z.array(entrySchema).safeParse(value).data;
    if (typeof value === 'string') form.texts[key] = value;
    else if (entries !== undefined) form.entries[key] = entries;
  }
  return form;
}

export function deleteForm(userId: string): void {
  deviceStorage('sessionStorage').removeItem(deviceKeys.onboardingForm(userId));
}

/** `onboarded` even if the user was onboarded already; `limited` ends at `resumesAt`, a time of `steadyNow`. */
type SubmissionResult =
  | { type: 'onboarded' }
  | { type: 'invalid'; sentences: FieldSentences }
  | { type: 'limited'; resumesAt: number };

/** The wait after a 429 without a usable `Retry-After`. */
const defaultWaitSeconds = 60;

/** Rejects with `SessionRejectedError` if the session has ended, or with another error if no usable response arrives. */
export async function submitOnboarding(form: Onboarding | MemberOnboarding): Promise<SubmissionResult> {
  const response = await fetch(routes.onboarding, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(form),
  });
  if (response.ok || response.status === 409) return { type: 'onboarded' };
  if (response.status === 401) throw new SessionRejectedError('The session has ended.');
  if (response.status === 422) return { type: 'invalid', sentences: fieldSentencesSchema.parse(await response.json()) };
  if (response.status === 429) {
    const seconds = Number(response.headers.get('Retry-After'));
    const waitSeconds = seconds > 0 && seconds <= maxRetryAfterSeconds ? seconds : defaultWaitSeconds;
    return { type: 'limited', resumesAt: steadyNow() + waitSeconds * 1000 };
  }
  throw new Error(`Onboarding failed: status ${response.status}.`);
}
