import type { Database } from '../../server/database/database.ts';
import type { Arrival, Person } from '../../server/database/people.ts';
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
export async function signIn({ people }: Pick<Database, 'people'>, somebody: Somebody): Promise<Person> {
  const result = await people.signIn(arrival(somebody));
  if ('refusal' in result) throw new Error(`They are not let in: ${result.refusal}.`);
  return result.person;
}

/** What is stored of a person now, or null where there is nobody with this id. */
export async function findPerson({ rows }: Pick<TestDatabase, 'rows'>, userId: string): Promise<Person | null> {
  const [row] = await rows(
    `select json_build_object('id', users.id, 'name', users.name, 'email', email, 'onboarded', onboarded_at is not null,
            'organization', json_build_object('id', org_id, 'name', organizations.name)) as person
       from users join organizations on organizations.id = org_id where users.id = ?`,
    [userId],
  );
  return (row?.person as Person | undefined) ?? null;
}
