import type { Page } from 'playwright-core';
import { pages, routes } from '../../../shared/interface.ts';
import type { Onboarding } from '../../../shared/onboarding.ts';
import { providerLabels } from '../../../shared/session.ts';
import { formOf } from '../../support/browser.ts';
import { conversationOn } from './conversation.ts';
import type { Person } from './people.ts';
import { openEmptyPage, visit } from './visit.ts';

const hypothesis = 'Most of the lead time is waiting';
const unknown = 'What waiting costs';

export const onboarding = {
  company: { name: 'Example Castings', industry: 'Metal casting', size: '120 people' },
  profile: { role: 'Head of operations' },
  engagement: {
    focus: 'Shorter lead times',
    hypotheses: [hypothesis],
    unknowns: [unknown],
  },
} satisfies Onboarding;

export async function signInAs(page: Page, { provider, who }: Person): Promise<void> {
  await page.getByRole('link', { name: `Continue with ${providerLabels[provider]}` }).click();
  await page.getByRole('button', { name: who }).click();
}

export const accountOn = (page: Page) => page.getByRole('button', { name: /^Account:/ });

export async function signOut(page: Page): Promise<void> {
  await accountOn(page).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
}

export async function openSettings(page: Page): Promise<void> {
  await accountOn(page).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
}

/** Opens the question whether to sign out on all devices. */
export async function askToSignOutEverywhere(page: Page): Promise<void> {
  await openSettings(page);
  await page.getByRole('button', { name: 'Sign out on all devices' }).click();
}

/** Signs out a user with conversations on this device, and confirms their deletion. */
export async function signOutWithConversations(page: Page): Promise<void> {
  await signOut(page);
  await page
    .getByRole('dialog', { name: 'Sign out?' })
    .getByRole('button', { name: 'Delete from this device' })
    .click();
}

/** Opens live chat as a signed-in user who has completed onboarding. */
export async function openLiveChat(page: Page, person: Person): Promise<void> {
  await prepareUser(page, person);
  await page.goto(pages.chat);
}

/** Signs in and completes onboarding with requests, which take much less time than pages. */
export async function prepareUser({ request }: Page, { provider, who }: Person): Promise<void> {
  const accountChooser = await request.get(`${routes.signIn}/${provider}`);
  const { action, fields } = formOf(await accountChooser.text(), who);
  await request.post(new URL(action, accountChooser.url()).href, { form: Object.fromEntries(fields) });
  await request.post(routes.onboarding, { data: onboarding });
}

export async function visitDemo(...options: Parameters<typeof visit> extends [string, ...infer Rest] ? Rest : never) {
  const page = await visit(pages.demo, ...options);
  return { page, ...conversationOn(page) };
}

export async function visitLiveChat(person: Person) {
  const page = await openEmptyPage();
  await openLiveChat(page, person);
  return { page, ...conversationOn(page) };
}

export async function fillOnboarding(page: Page): Promise<void> {
  const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text);
  await fill('Company name', onboarding.company.name);
  await fill('Industry', onboarding.company.industry);
  await fill('Company size', onboarding.company.size);
  await fill('Your role', onboarding.profile.role);
  await fill('What the engagement is about', onboarding.engagement.focus);
  await page.getByRole('button', { name: 'Add a hypothesis' }).click();
  await fill('Hypothesis 1', hypothesis);
  await page.getByRole('button', { name: 'Add an unknown' }).click();
  await fill('Unknown 1', unknown);
  await page.getByRole('button', { name: 'Start the engagement' }).click();
}
