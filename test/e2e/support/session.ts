import type { Page } from 'playwright-core';
import { routes } from '../../../shared/interface.ts';
import type { JoinQuestion } from '../../../shared/join.ts';
import { providerNames, type Session } from '../../../shared/session.ts';

/** A person as the session tells of them, before they are onboarded. */
export const newPerson = {
  id: '01JD0000000000000000000000',
  name: 'Robin Example',
  email: 'robin@example.com',
  onboarded: false,
  organization: { id: '01JD0000000000000000000001', name: 'Example Castings' },
} satisfies Session['user'];

/** The same where the organization has other members, who have described it. */
export const joiningPerson = {
  ...newPerson,
  organization: { ...newPerson.organization, shared: true },
} satisfies Session['user'];

/** From here on `page` is told that `user` is signed in, whatever the service says. Gives what tells it of another. */
export async function pretendSession(page: Page, user: Session['user']): Promise<(user: Session['user']) => void> {
  let current = user;
  await page.route(routes.session, (route) =>
    route.fulfill({ json: { user: current, providers: [...providerNames] } satisfies Session }),
  );
  return (next) => {
    current = next;
  };
}

/** From here on `page` is told of any invitation that it leads `newPerson` to `to`. */
export async function pretendInvitation(page: Page, to: JoinQuestion['to']): Promise<void> {
  await page.route(routes.join, (route) =>
    route.fulfill({ json: { from: newPerson.organization, to } satisfies JoinQuestion }),
  );
}
