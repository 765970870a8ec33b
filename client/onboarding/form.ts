import * as z from 'zod/mini';
import { routes } from '../../shared/interface.ts';
import { isObject } from '../../shared/is-object.ts';
import {
  type FieldErrors,
  type FieldPath,
  fieldErrors,
  fieldErrorsSchema,
  type Joining,
  joiningSchema,
  type ListPath,
  type Onboarding,
  onboardingSchema,
} from '../../shared/onboarding.ts';
import { deviceKeys, deviceStorage } from '../device/device-storage.ts';
import { parseJson } from '../parse-json.ts';
import { Refused } from '../session/session.ts';

/** How the page offers a text: `half` stands beside another. `key` names it in the words of a language and in a kept form. */
type Line = {
  key: string;
  autoComplete?: string;
  choices?: true;
  half?: true;
  multiline?: true;
  hint?: string;
};

/** The texts that the form asks for, in the order of the page: a field of the schema without a row does not compile. */
export const lines = {
  'company.name': { key: 'companyName', autoComplete: 'organization' },
  'company.industry': { key: 'industry', choices: true, half: true },
  'company.size': { key: 'companySize', choices: true, half: true },
  'profile.role': { key: 'role', autoComplete: 'organization-title', choices: true },
  'engagement.focus': { key: 'focus', multiline: true, hint: 'focusHint' },
} as const satisfies Record<FieldPath, Line>;

/** The lists of statements; `entry` names one of them. */
export const lists = {
  'engagement.hypotheses': { key: 'hypotheses', entry: 'hypothesis' },
  'engagement.unknowns': { key: 'unknowns', entry: 'unknown' },
} as const satisfies Record<ListPath, { key: string; entry: string }>;

const entrySchema = z.object({ id: z.number(), text: z.string() });

/** One of a list of statements; `id` tells entries apart while they are edited. */
export type Entry = z.infer<typeof entrySchema>;

/** What stands in the fields of the onboarding page, finished or not, by the keys of the tables. What nobody has typed is absent. */
export type Form = { texts: Record<string, string>; entries: Record<string, Entry[]> };

export const emptyForm: Form = { texts: {}, entries: {} };

/** The statements of a list; an empty one to begin with. */
export function entriesOf({ entries }: Form, key: string): Entry[] {
  return entries[key] ?? [{ id: 1, text: '' }];
}

/** The entries and a new, empty one. */
export function addEntry(entries: readonly Entry[]): Entry[] {
  return [...entries, { id: Math.max(0, ...entries.map(({ id }) => id)) + 1, text: '' }];
}

/** Whether the form can be sent without this text. */
export function isOptional(path: FieldPath): boolean {
  const { error } = onboardingSchema.safeParse({ company: {}, profile: {} });
  return error === undefined || !(path in fieldErrors(error));
}

type Asked = { isJoining: boolean };

/** The request that the fields make, or what is wrong with it. What is blank is left out. */
export function readForm(form: Form, { isJoining }: Asked) {
  const body: Record<string, Record<string, unknown>> = { company: {}, profile: {}, engagement: {} };
  const put = (path: string, value: unknown) => {
    const [part = '', field = ''] = path.split('.');
    if (value !== undefined) Object.assign(body[part] ?? {}, { [field]: value });
  };
  for (const [path, { key }] of Object.entries(lines)) put(path, form.texts[key]?.trim() || undefined);
  for (const [path, { key }] of Object.entries(lists))
    put(
      path,
      filled(form, key).map(({ text }) => text),
    );
  return (isJoining ? joiningSchema : onboardingSchema).safeParse(body);
}

/** What is wrong with the form as it stands, by field. */
export function complaints(form: Form, asked: Asked): FieldErrors {
  const { error } = readForm(form, asked);
  return error ? byField(form, fieldErrors(error)) : {};
}

/**
 * Complaints about the request that `form` makes, by the fields of the form: an entry of a list is named by its id
 * (`engagement.unknowns.3`), so that a complaint stays with it whatever is blank or removed before it.
 */
export function byField(form: Form, errors: FieldErrors): FieldErrors {
  const named = (path: string) => {
    const list = Object.entries(lists).find(([list]) => path.startsWith(`${list}.`));
    if (list === undefined) return path;
    const [listPath, { key }] = list;
    const index = Number(path.slice(listPath.length + 1));
    return `${listPath}.${filled(form, key)[index]?.id ?? index}`;
  };
  return Object.fromEntries(Object.entries(errors).map(([path, sentence]) => [named(path), sentence]));
}

function filled(form: Form, key: string): Entry[] {
  return entriesOf(form, key).filter(({ text }) => text.trim() !== '');
}

/** Keeps the form over a reload and a sign-in, for as long as the tab is open. */
export function keepForm(userId: string, { texts, entries }: Form): void {
  try {
    const kept = JSON.stringify({ ...texts, ...entries });
    deviceStorage('sessionStorage').setItem(deviceKeys.onboardingForm(userId), kept);
  } catch {
    // The storage is full: the person types again.
  }
}

/** The form that this person had begun in this tab, or an empty one. Another release may have kept it: it is read field by field. */
export function keptForm(userId: string): Form {
  const kept = parseJson(deviceStorage('sessionStorage').getItem(deviceKeys.onboardingForm(userId)));
  const form: Form = { texts: {}, entries: {} };
  for (const [key, value] of Object.entries(isObject(kept) ? kept : {})) {
    const entries = z.array(entrySchema).safeParse(value).data;
    if (typeof value === 'string') form.texts[key] = value;
    else if (entries !== undefined) form.entries[key] = entries;
  }
  return form;
}

export function dropForm(userId: string): void {
  deviceStorage('sessionStorage').removeItem(deviceKeys.onboardingForm(userId));
}

/** `onboarded` also where the person had been onboarded before; `limited` is over at `resumesAt`, in milliseconds since the epoch. */
export type Submission =
  | { type: 'onboarded' }
  | { type: 'invalid'; errors: FieldErrors }
  | { type: 'limited'; resumesAt: number };

/** How long to wait where a limit does not say. */
const defaultWaitSeconds = 60;

/** Posts the onboarding form. Throws `Refused` where the session has ended, another error where there is no usable answer. */
export async function submitOnboarding(form: Onboarding | Joining): Promise<Submission> {
  const response = await fetch(routes.onboarding, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(form),
  });
  if (response.ok || response.status === 409) return { type: 'onboarded' };
  if (response.status === 401) throw new Refused('The session has ended.');
  if (response.status === 422) return { type: 'invalid', errors: fieldErrorsSchema.parse(await response.json()) };
  if (response.status === 429) {
    const seconds = Number(response.headers.get('Retry-After')) || defaultWaitSeconds;
    return { type: 'limited', resumesAt: Date.now() + seconds * 1000 };
  }
  throw new Error(`Onboarding failed: status ${response.status}.`);
}
