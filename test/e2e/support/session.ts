import type { Page } from 'playwright-core';
import { routes } from '../../../shared/interface.ts';
import type { JoinQuestion } from '../../../shared/join.ts';
import { providerNames, type Session } from '../../../shared/session.ts';

export const newPerson = {
  id: '01JD0000000000000000000000',
  name: 'Robin Example',
  email: 'robin@example.com',
  onboarded: false,
  organization: { id: '01JD0000000000000000000001', name: 'Example Castings' },
} satisfies Session['user'];

/** `newPerson` in an organization that has other members, who have described it. */
export const joiningPerson = {
  ...newPerson,
  organization: { ...newPerson.organization, shared: true },
} satisfies Session['user'];

/** Mocks the session of `page`, so that `user` is signed in. Returns a function that replaces the user. */
export async function mockSession(page: Page, user: Session['user']): Promise<(user: Session['user']) => void> {
  let current = user;
  await page.route(routes.session, (route) =>
    route.fulfill({ json: { user: current, providers: [...providerNames] } satisfies Session }),
  );
  return (next) => {
    current = next;
  };
}

/** Mocks invitations on `page`: each one leads `newPerson` to the organization `to`. */
export async function mockInvitation(page: Page, to: JoinQuestion['to']): Promise<void> {
  await page.route(routes.join, (route) =>
    route.fulfill({ json: { from: newPerson.organization, to } satisfies JoinQuestion }),
  );
}
