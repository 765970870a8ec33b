import { createHmac, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { SessionData } from 'express-session';
import type { Database } from '../../server/database/database.ts';
import type { Arrival } from '../../server/database/people.ts';
import type { Onboarding } from '../../shared/onboarding.ts';
import type { User } from '../../shared/session.ts';
import type { TestDatabase } from './test-database.ts';

type Somebody = Pick<Arrival, 'subject' | 'name' | 'email'> & Partial<Arrival>;

/** Where a request of the tests comes from. */
export const origin = { requestId: 'request 1', addressHash: 'somewhere' };

/** Somebody who is back from a provider, and may sign up. */
export function arrival(somebody: Somebody): Arrival {
  return {
    provider: 'google',
    emailVerified: false,
    invitation: null,
    maySignUp: true,
    ...origin,
    ...somebody,
  };
}

/** Signs somebody in who is let in. */
export async function signIn({ people }: Pick<Database, 'people'>, somebody: Somebody): Promise<User> {
  const result = await people.signIn(arrival(somebody));
  if ('refusal' in result) throw new Error(`They are not let in: ${result.refusal}.`);
  return result.person;
}

/** What is stored of a person now, or null where there is nobody with this id. */
export async function findPerson({ rows }: Pick<TestDatabase, 'rows'>, userId: string): Promise<User | null> {
  const [row] = await rows(
    `select json_build_object('id', users.id, 'name', users.name, 'email', email, 'onboarded', onboarded_at is not null,
            'organization', json_build_object('id', org_id, 'name', organizations.name)) as person
       from users join organizations on organizations.id = org_id where users.id = ?`,
    [userId],
  );
  return (row?.person as User | undefined) ?? null;
}

/** With which the product signs its cookies where `createMembers` has made people for it. */
export const sessionSecret = 'a secret of the tests with thirty-two characters at least';

export type Member = { userId: string; orgId: string; cookie: string };

/** So many at a time: more would only wait for connections. */
const atOnce = 8;
const dayMilliseconds = 24 * 60 * 60 * 1000;

/** People who are signed in and onboarded, each in an organization of their own. */
export async function createMembers(
  database: Pick<Database, 'people' | 'engagements' | 'sessionStore'>,
  count: number,
  onboardingOf: (number: number) => Onboarding,
): Promise<Member[]> {
  async function make(number: number): Promise<Member> {
    const name = `Person ${number}`;
    const person = await signIn(database, { subject: `person ${number}`, name, email: `person-${number}@example.com` });
    const scope = { orgId: person.organization.id, userId: person.id };
    await database.engagements.begin(scope, onboardingOf(number), origin);
    return { ...scope, cookie: await beginSession(database.sessionStore, person.id) };
  }

  const members: Member[] = [];
  for (let first = 0; first < count; first += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, count - first) }, (_, place) => first + place);
    members.push(...(await Promise.all(numbers.map(make))));
  }
  return members;
}

/** A session as sign-in leaves it, and the cookie that names it. */
async function beginSession(store: Database['sessionStore'], userId: string): Promise<string> {
  const sid = randomBytes(24).toString('base64url');
  const expires = new Date(Date.now() + dayMilliseconds);
  const cookie = { originalMaxAge: dayMilliseconds, expires, secure: true, httpOnly: true, path: '/' };
  const data = { cookie, userId, renewedAt: Date.now() } satisfies Partial<SessionData>;
  await promisify(store.set.bind(store))(sid, data);
  const signature = createHmac('sha256', sessionSecret).update(sid).digest('base64').replace(/=+$/, '');
  return `__Host-advisory-chat=${encodeURIComponent(`s:${sid}.${signature}`)}`;
}
