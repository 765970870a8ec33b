import { createHmac, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { openAdministration, openDatabase } from '../../server/database/database.ts';
import { demoEngagement } from '../../server/prompt/demo-engagement.ts';

/** How many people are made at once: more would only wait for connections. */
const together = 8;

/**
 * Makes `count` people, signed in and onboarded, with engagements of an ordinary size; gives their cookies, as the product's
 * own sign-in sets them.
 */
export async function signInVisitors(count: number, { databaseUrl, secret }: { databaseUrl: string; secret: string }) {
  const settings = { kind: 'postgresql', url: databaseUrl } as const;
  const logger = pino({ level: 'silent' });
  await using opened = new AsyncDisposableStack();
  const { people, engagements, sessionStore, close } = await openDatabase(settings, logger);
  opened.defer(close);
  const { administration, close: leave } = await openAdministration(settings, logger, 'operator of the benchmark');
  opened.defer(leave);
  const origin = { requestId: 'none', addressHash: 'none' };

  async function signIn(number: number): Promise<string> {
    const name = `Visitor ${number}`;
    const arrived = await people.signIn({
      ...origin,
      provider: 'google',
      subject: String(number),
      name,
      email: `visitor-${number}@example.com`,
      emailVerified: false,
      invitation: null,
      maySignUp: true,
    });
    if ('refusal' in arrived) throw new Error(`A visitor was not let in: ${arrived.refusal}.`);
    const { id: userId, organization } = arrived.person;
    await engagements.begin(
      { userId, orgId: organization.id },
      {
        company: { name: demoEngagement.organization.name, industry: 'Metal casting', size: '420 people' },
        profile: { role: 'Head of operations' },
        engagement: { hypotheses: [], unknowns: [] },
      },
      origin,
    );
    await administration.setEngagementState(userId, demoEngagement.engagement);
    const id = randomUUID();
    await new Promise<void>((resolve, reject) => {
      sessionStore.set(id, sessionOf(userId), (error) => (error ? reject(error) : resolve()));
    });
    const signature = createHmac('sha256', secret).update(id).digest('base64').replace(/=+$/, '');
    return `__Host-advisory-chat=${encodeURIComponent(`s:${id}.${signature}`)}`;
  }

  const cookies: string[] = [];
  for (let first = 0; first < count; first += together) {
    const numbers = Array.from({ length: Math.min(together, count - first) }, (_, index) => first + index);
    cookies.push(...(await Promise.all(numbers.map(signIn))));
  }
  return cookies;
}

function sessionOf(userId: string) {
  const lifetimeMilliseconds = 24 * 60 * 60 * 1000;
  return {
    cookie: {
      originalMaxAge: lifetimeMilliseconds,
      expires: new Date(Date.now() + lifetimeMilliseconds),
      secure: true,
      httpOnly: true,
      path: '/',
      sameSite: 'lax' as const,
    },
    userId,
    renewedAt: Date.now(),
  };
}
