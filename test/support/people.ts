import { createHmac, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { SessionData } from 'express-session';
import type { Database } from '../../server/database/database.ts';
import type { SignInDetails } from '../../server/database/serving/users.ts';
import type { Onboarding } from '../../shared/onboarding.ts';
import type { User } from '../../shared/session.ts';
import type { TestDatabase } from './test-database.ts';

type SignInOptions = Pick<SignInDetails, 'subject' | 'name' | 'email'> & Partial<SignInDetails>;

export const auditSource = { requestId: 'request 1', addressHash: 'somewhere' };

/** By default, the user may sign up. */
export function signInDetails(options: SignInOptions): SignInDetails {
  return {
    provider: 'google',
    emailVerified: false,
    invitation: null,
    maySignUp: true,
    ...auditSource,
    ...options,
  };
}

/** @throws Error if the sign-in is refused */
export async function signIn({ users }: Pick<Database, 'users'>, options: SignInOptions): Promise<User> {
  const result = await users.signIn(signInDetails(options));
  if ('refusal' in result) throw new Error(`The sign-in was refused: ${result.refusal}.`);
  return result.person;
}

export async function findPerson({ rows }: Pick<TestDatabase, 'rows'>, userId: string): Promise<User | null> {
  const [row] = await rows(
    `select json_build_object('id', users.id, 'name', users.name, 'email', email, 'onboarded', onboarded_at is not null,
            'organization', json_build_object('id', org_id, 'name', organizations.name)) as person
       from users join organizations on organizations.id = org_id where users.id = ?`,
    [userId],
  );
  return (row?.person as User | undefined) ?? null;
}

/** The secret that signs the cookies of `createMembers`. Start the server with this secret. */
export const sessionSecret = 'a secret of the tests with thirty-two characters at least';

type Member = { userId: string; orgId: string; cookie: string };

/** More concurrent sign-ups would only wait for database connections. */
const concurrency = 8;
const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Creates people who are signed in and onboarded, each in their own organization. */
export async function createMembers(
  database: Pick<Database, 'users' | 'engagements' | 'sessionStore'>,
  count: number,
  onboardingOf: (number: number) => Onboarding,
): Promise<Member[]> {
  async function createMember(number: number): Promise<Member> {
    const name = `Person ${number}`;
    const person = await signIn(database, { subject: `person ${number}`, name, email: `person-${number}@example.com` });
    const scope = { orgId: person.organization.id, userId: person.id };
    await database.engagements.begin(scope, onboardingOf(number), auditSource);
    return { ...scope, cookie: await createSession(database.sessionStore, person.id) };
  }

  const members: Member[] = [];
  for (let first = 0; first < count; first += concurrency) {
    const numbers = Array.from({ length: Math.min(concurrency, count - first) }, (_, index) => first + index);
    members.push(...(await Promise.all(numbers.map(createMember))));
  }
  return members;
}

async function createSession(store: Database['sessionStore'], userId: string): Promise<string> {
  const sid = randomBytes(24).toString('base64url');
  const expires = new Date(Date.now() + dayMilliseconds);
  const cookie = { originalMaxAge: dayMilliseconds, expires, secure: true, httpOnly: true, path: '/' };
  const data = { cookie, userId, begunAt: Date.now(), renewedAt: Date.now() } satisfies Partial<SessionData>;
  await promisify(store.set.bind(store))(sid, data);
  const signature = createHmac('sha256', sessionSecret).update(sid).digest('base64').replace(/=+$/, '');
  return `__Host-advisory-chat=${encodeURIComponent(`s:${sid}.${signature}`)}`;
}
