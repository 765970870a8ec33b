import { pino } from 'pino';
import { openDatabase } from '../../../server/database/database.ts';
import { beginSession } from '../../soak/people.ts';
import { closing } from '../../support/closing.ts';
import { origin, signIn } from '../../support/people.ts';
import { exampleOnboarding } from '../../support/test-app.ts';

/** How many are made at a time: as many as there are connections. */
const atOnce = 10;

/** People who are signed in and onboarded, each in an organization of their own: the cookies of their sessions. */
export async function createMembers(url: string, count: number): Promise<string[]> {
  await using database = closing(await openDatabase({ kind: 'postgresql', url }, pino({ level: 'silent' })));
  const cookies: string[] = [];
  for (let first = 0; first < count; first += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, count - first) }, (_, place) => first + place);
    const made = numbers.map(async (number) => {
      const person = await signIn(database, { subject: `person ${number}`, name: null, email: null });
      const scope = { orgId: person.organization.id, userId: person.id };
      await database.engagements.begin(scope, exampleOnboarding, origin);
      return beginSession(database, person.id);
    });
    cookies.push(...(await Promise.all(made)));
  }
  return cookies;
}
