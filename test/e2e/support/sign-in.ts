import type { Page } from 'playwright-core';
import { pages, routes } from '../../../shared/interface.ts';
import { providerLabels } from '../../../shared/session.ts';
import { formOf } from '../../support/browser.ts';
import { exampleOnboarding } from '../../support/example-onboarding.ts';
import { conversationOn } from './conversation.ts';
import type { Person } from './people.ts';
import { openEmptyPage, visit } from './visit.ts';

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
export async function prepareUser(page: Page, person: Person): Promise<void> {
  await signInByRequest(page, person);
  await page.request.post(routes.onboarding, { data: exampleOnboarding });
}

/** Signs in without a page, so that no other tab is notified. */
export async function signInByRequest({ request }: Page, { provider, who }: Person): Promise<void> {
  const accountChooser = await request.get(`${routes.signIn}/${provider}`);
  const { action, fields } = formOf(await accountChooser.text(), who);
  await request.post(new URL(action, accountChooser.url()).href, { form: Object.fromEntries(fields) });
}

/** Opens the demo, and resolves once a question can be typed. */
export async function visitDemo(...options: Parameters<typeof visit> extends [string, ...infer Rest] ? Rest : never) {
  const page = await visit(pages.demo, ...options);
  await page.getByRole('textbox').waitFor();
  return { page, ...conversationOn(page) };
}

/** Opens live chat as a signed-in user, and resolves once a question can be typed. */
export async function visitLiveChat(person: Person) {
  const page = await openEmptyPage();
  await openLiveChat(page, person);
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  return { page, ...conversationOn(page) };
}

export async function fillOnboarding(page: Page): Promise<void> {
  const { company, profile, engagement } = exampleOnboarding;
  const fill = (label: string, text = '') => page.getByLabel(label, { exact: true }).fill(text);
  await fill('Company name', company.name);
  await fill('Industry', company.industry);
  await fill('Company size', company.size);
  await fill('Your role', profile.role);
  await fill('What the engagement is about', engagement.focus);
  await page.getByRole('button', { name: 'Add a hypothesis' }).click();
  await fill('Hypothesis 1', engagement.hypotheses[0]);
  await page.getByRole('button', { name: 'Add an unknown' }).click();
  await fill('Unknown 1', engagement.unknowns[0]);
  await page.getByRole('button', { name: 'Start the engagement' }).click();
}
