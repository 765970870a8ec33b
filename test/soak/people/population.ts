import { createHmac, randomBytes } from 'node:crypto';
import type { SessionData } from 'express-session';
import { pino } from 'pino';
import { openAdministration, openDatabase } from '../../../server/database/database.ts';
import { origin, signIn } from '../../support/people.ts';
import { organizationMark, personMark } from '../marks.ts';
import { sessionSecret } from '../parts/product.ts';
import type { Asker } from '../records.ts';

/** How many people belong to one organization. */
const peopleInOrganization = 4;

const dayMilliseconds = 24 * 60 * 60 * 1000;

export type Member = { asker: Extract<Asker, { route: 'live' }>; cookie: string };

/** The login that serves, and the owner's. */
export type DatabaseUrls = { url: string; ownerUrl: string };

/** People who have signed in and been onboarded, several in each organization, each with an engagement and a session. */
export async function createMembers(urls: DatabaseUrls, count: number): Promise<Member[]> {
  await using opened = new AsyncDisposableStack();
  const settings = { kind: 'postgresql', ...urls } as const;
  const logger = pino({ level: 'silent' });
  const database = await openDatabase(settings, logger);
  opened.defer(database.close);
  const { administration, close } = await openAdministration(settings, logger, 'operator of the soak');
  opened.defer(close);
  const members: Member[] = [];
  for (let number = 0; number < count; number += 1) {
    const mark = personMark(number);
    const { id: userId, organization: own } = await signIn(database, {
      provider: 'github',
      subject: `soak-${number}`,
      name: mark,
      email: null,
    });
    const organizationNumber = Math.floor(number / peopleInOrganization);
    const engagement = { hypotheses: [`What ${mark} believes`], unknowns: [] };
    const company = { name: `Castings ${organizationMark(organizationNumber)}`, industry: 'Metal casting' };
    await database.engagements.begin(
      { orgId: own.id, userId },
      { company, profile: { role: mark }, engagement },
      origin,
    );

    const orgId = members[organizationNumber * peopleInOrganization]?.asker.orgId ?? own.id;
    if (orgId !== own.id) {
      await administration.moveUser(userId, orgId);
      await administration.setEngagementState(userId, {
        week: 3,
        hypotheses: [{ statement: `What ${mark} believes`, status: 'open', evidence: [] }],
        unknowns: [],
        findings: [],
      });
    }
    const asker = { route: 'live', userId, orgId, organizationMark: organizationMark(organizationNumber) } as const;
    members.push({ asker: { ...asker, personMark: mark }, cookie: await beginSession(database, userId) });
  }
  return members;
}

type SessionStore = Awaited<ReturnType<typeof openDatabase>>['sessionStore'];

/** A session as sign-in leaves it, and the cookie that names it. */
export async function beginSession({ sessionStore }: { sessionStore: SessionStore }, userId: string): Promise<string> {
  const sid = randomBytes(24).toString('base64url');
  const expires = new Date(Date.now() + dayMilliseconds);
  const cookie = { originalMaxAge: dayMilliseconds, expires, secure: true, httpOnly: true, path: '/' };
  const data = { cookie, userId, renewedAt: Date.now() } satisfies Partial<SessionData>;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  sessionStore.set(sid, data, (error) => (error ? reject(error) : resolve()));
  await promise;
  const signature = createHmac('sha256', sessionSecret).update(sid).digest('base64').replace(/=+$/, '');
  return `__Host-advisory-chat=${encodeURIComponent(`s:${sid}.${signature}`)}`;
}
