import { pino } from 'pino';
import { openAdministration, openDatabase } from '../server/database/database.ts';
import { demoEngagement } from '../server/prompt/demo-engagement.ts';
import { beginSession } from '../test/soak/people.ts';
import { origin, signIn } from '../test/support/people.ts';

/** How many people are made at once: more would only wait for connections. */
const together = 8;

/** Makes `count` people, signed in and onboarded, with engagements of an ordinary size; gives the cookies of their sessions. */
export async function signInVisitors(count: number, url: string): Promise<string[]> {
  const settings = { kind: 'postgresql', url } as const;
  const logger = pino({ level: 'silent' });
  await using opened = new AsyncDisposableStack();
  const database = await openDatabase(settings, logger);
  opened.defer(database.close);
  const { administration, close } = await openAdministration(settings, logger, 'operator of the benchmark');
  opened.defer(close);

  async function enter(number: number): Promise<string> {
    const { id: userId, organization } = await signIn(database, {
      subject: String(number),
      name: `Visitor ${number}`,
      email: `visitor-${number}@example.com`,
    });
    const onboarding = {
      company: { name: demoEngagement.organization.name, industry: 'Metal casting', size: '420 people' },
      profile: { role: 'Head of operations' },
      engagement: { hypotheses: [], unknowns: [] },
    };
    await database.engagements.begin({ userId, orgId: organization.id }, onboarding, origin);
    await administration.setEngagementState(userId, demoEngagement.engagement);
    return beginSession(database, userId);
  }

  const cookies: string[] = [];
  for (let first = 0; first < count; first += together) {
    const numbers = Array.from({ length: Math.min(together, count - first) }, (_, index) => first + index);
    cookies.push(...(await Promise.all(numbers.map(enter))));
  }
  return cookies;
}
