import type { Hole } from '../hole.ts';

const signUp = 'test/server/auth/sign-up.test.ts';
const signedOut = 'test/server/auth/signed-out.test.ts';
const attempts = 'test/server/auth/sign-in-attempts.test.ts';
const joining = 'test/server/onboarding/joining.test.ts';
const sessionStore = 'test/server/database/session-store.test.ts';
const people = 'server/database/migrations/2026-11-22-people.ts';

/** Who gets in, who is out, and what the database holds whom to. */
export const core: readonly Hole[] = [
  {
    name: 'Anybody signs up where people have to be invited',
    file: 'server/auth/sign-up.ts',
    find: "if (mode === 'open') return true;",
    replace: 'if (mode) return true;',
    test: {
      file: signUp,
      title: 'signing up by invitation only leaves no row of somebody who is not invited, who is told what to do',
    },
  },
  {
    name: 'An address counts that nobody has verified',
    file: 'server/auth/sign-up.ts',
    find: 'return emailVerified && domain',
    replace: 'return domain',
    test: {
      file: signUp,
      title:
        'signing up from the domains that are named lets in whose address the provider has verified, and nobody who only claims one',
    },
  },
  {
    name: 'A domain counts that only ends alike',
    file: 'server/auth/sign-up.ts',
    find: 'domains.includes(domain)',
    replace: 'domains.some((each) => domain.endsWith(each))',
    test: { file: signUp, title: 'signing up from the domains that are named takes no other domain, however alike' },
  },
  {
    name: 'An invitation can be used again',
    file: people,
    find: 'token_hash = invitation_token_hash and used_at is null and expires_at > now() for update',
    replace: 'token_hash = invitation_token_hash and expires_at > now() for update',
    test: { file: signUp, title: 'signing up by invitation only lets in who holds an invitation, once' },
  },
  {
    name: 'An invitation does not expire',
    file: people,
    find: 'used_at is null and expires_at > now() for update',
    replace: 'used_at is null for update',
    test: {
      file: signUp,
      title: 'signing up by invitation only refuses an invitation that is unknown, expired or revoked',
    },
  },
  {
    name: 'The token of an invitation is stored as it is',
    file: 'server/database/people.ts',
    find: "return createHash('sha256').update(token).digest('hex');",
    replace: 'return createHash ? token : token;',
    test: {
      file: signUp,
      title: 'signing up by invitation only stores of an invitation a hash of its token, never the token',
    },
  },
  {
    name: 'A blocked account signs up again',
    file: people,
    find: "when exists (select from blocked_accounts where account_hash = account) then 'suspended'",
    replace: "when false then 'suspended'",
    test: {
      file: signUp,
      title: 'signing up keeps an account out that was deleted and blocked, whoever invites it, until it is unblocked',
    },
  },
  {
    name: 'Somebody who is suspended signs in again',
    file: people,
    find: "when person.suspended_at is not null then 'suspended'",
    replace: "when false then 'suspended'",
    test: {
      file: signedOut,
      title:
        'somebody whose sessions are ended is refused at sign-in while suspended, and let in when restored, with what they had',
    },
  },
  {
    name: 'Suspension leaves the sessions that there are',
    file: 'server/database/administration.ts',
    find: `{ suspendedAt: new Date() }, acrossTenants);
        await endSessions(em, userId);`,
    replace: '{ suspendedAt: new Date() }, acrossTenants);',
    test: {
      file: signedOut,
      title:
        'somebody whose sessions are ended by suspend-user has the reply under way ended with the error line, and stored as far as it came',
    },
  },
  {
    name: 'A reply goes on after its session has been ended',
    file: 'server/chat/live-route.ts',
    find: 'reply, [cut, ended, superseded])',
    replace: 'reply, [cut, superseded])',
    test: {
      file: signedOut,
      title:
        'somebody whose sessions are ended by sign-out everywhere has the reply under way ended with the error line, and stored as far as it came',
    },
  },
  {
    name: 'Signing out everywhere ends this session only',
    file: 'server/auth/routes.ts',
    find: 'everywhere ? null : request.sessionID',
    replace: 'request.sessionID',
    test: {
      file: signedOut,
      title: 'somebody whose sessions are ended by sign-out everywhere is out on every device at once',
    },
  },
  {
    name: 'A session that is saved late comes back',
    file: 'server/database/session-store.ts',
    find: 'if (data.person !== undefined) {',
    replace: 'if (data.person === null) {',
    test: {
      file: sessionStore,
      title:
        'the session store does not bring back a session that has ended since it was loaded, however late it is saved',
    },
  },
  {
    name: 'A session lives as long as it is renewed',
    file: 'server/auth/sessions.ts',
    find: 'session.cookie.maxAge = Math.min(lifetimeMilliseconds, session.begunAt + longestMilliseconds - now);',
    replace: '',
    test: {
      file: 'test/server/auth/sessions.test.ts',
      title: 'sessions end 90 days after they began, however often they are renewed',
    },
  },
  {
    name: 'The sessions of somebody who is deleted stay',
    file: people,
    find: "foreign key (user_id) references users (id) on delete cascade`);\n    this.addSql('create index sessions_user_id_index",
    replace: "foreign key (user_id) references users (id)`);\n    this.addSql('create index sessions_user_id_index",
    test: { file: sessionStore, title: 'the session store loses the sessions of somebody who is deleted' },
  },
  {
    name: 'An attempt to sign in has as many answers as come',
    file: 'server/auth/sign-in-attempts.ts',
    find: '      remember(attempt);\n',
    replace: '      void remember;\n',
    test: {
      file: attempts,
      title: 'an attempt to sign in is used up by its answer, also where its cookie is sent again',
    },
  },
  {
    name: "An attempt's cookie counts whoever signed it",
    file: 'server/auth/sign-in-attempts.ts',
    find: 'const texts = secrets.map((each) => unsign(cookie, each)).filter((text) => text !== false);',
    replace: "const texts = [cookie.split('.')[0] ?? '', ...secrets.map((each) => unsign(cookie, each) || '')];",
    test: { file: attempts, title: 'an attempt to sign in counts only as it was signed here, at its own provider' },
  },
  {
    name: 'A newcomer renames the organization that they join',
    file: 'server/database/engagements.ts',
    find: "if (alone && 'company' in form) {",
    replace: "if ('company' in form || alone) {\n          if (!('company' in form)) return true;",
    test: {
      file: 'test/server/database/engagements.test.ts',
      title: 'engagements.begin leaves an organization as it is that has other members, whatever is said of it',
    },
  },
  {
    name: 'Onboarding again begins the engagement anew',
    file: 'server/database/engagements.ts',
    find: '  const state = await em.findOne(EngagementState, scope);\n',
    replace: '  const state = (await em.findOne(EngagementState, scope)) && null;\n',
    test: {
      file: joining,
      title:
        'onboarding into an organization that has members anew keeps the week, the findings and what became of the hypotheses',
    },
  },
  {
    name: 'Row security does not hold for the owner',
    file: people,
    find: 'force row level security',
    replace: 'no force row level security',
    test: {
      file: 'test/server/database/schema.test.ts',
      title:
        'the migrated schema has row-level security that holds for the owner too, and a policy for every command, on each table of an organization',
    },
  },
  {
    name: "A function finds what its caller's search path says",
    file: 'server/database/migrations/pin-function.ts',
    find: 'set search_path = %I, pg_temp',
    replace: 'set work_mem = 4096 -- %I',
    test: {
      file: 'test/server/database/schema.test.ts',
      title:
        'the migrated schema has functions that pin their search path, and that nobody may call who was not granted it',
    },
  },
  {
    name: 'Whoever logs in may call what works as its owner',
    file: 'server/database/migrations/pin-function.ts',
    find: 'from public`);',
    replace: 'from pg_monitor`);',
    test: {
      file: 'test/server/database/schema.test.ts',
      title:
        'the migrated schema has functions that pin their search path, and that nobody may call who was not granted it',
    },
  },
  {
    name: 'Others on the machine may read the data directory',
    file: 'server/embedded/data-directory.ts',
    find: 'if ((statSync(directory).mode & 0o077) !== 0) chmodSync(directory, 0o700);',
    replace: 'void [statSync, chmodSync];',
    test: {
      file: 'test/server/embedded/data-directory.test.ts',
      title: 'the data directory is open to nobody else on the machine, also where it was before',
    },
  },
  {
    name: 'A sign-in leaves no line in the trail',
    file: people,
    find: 'values (happened, person.id,',
    replace: "values ('other', person.id,",
    test: { file: 'test/server/audit.test.ts', title: 'the trail tells of a sign-in, of onboarding and of a sign-out' },
  },
  {
    name: 'A new session is stored once more when the answer of its sign-in ends',
    file: 'server/auth/sessions.ts',
    find: 'request.session.save = (done) => {',
    replace: 'const save = (done: (error: unknown) => void) => {',
    test: { file: 'test/server/auth/sessions.test.ts', title: 'sessions are stored once at sign-in' },
  },
];
