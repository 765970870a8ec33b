import { createServer } from 'node:http';
import express from 'express';
import session from 'express-session';
import type { Providers } from '../../../server/auth/providers.ts';
import { createAuthRouter } from '../../../server/auth/routes.ts';
import {
  createBeginSession,
  createSessionMiddleware,
  requireOnboarded,
  requireUser,
  sessionCookie,
} from '../../../server/auth/sessions.ts';
import type { Database } from '../../../server/database/database.ts';
import { createAuditSourceOf } from '../../../server/http/client-address.ts';
import { errorHandler } from '../../../server/http/errors.ts';
import { createBodyReader } from '../../../server/http/json-body.ts';
import { createLogger } from '../../../server/http/logger.ts';
import { assignContext, userOf } from '../../../server/http/request-context.ts';
import { createMount } from '../../../server/http/route-checks.ts';
import type { Proxies } from '../../../server/proxies.ts';
import { type LimitName, limits } from '../../../shared/route-table.ts';
import type { User } from '../../../shared/session.ts';
import { listen } from '../../support/loopback.ts';

const publicHost = 'localhost';

const unlimited = { take: async () => undefined };
const limiters = Object.fromEntries(Object.keys(limits).map((name) => [name, unlimited])) as Record<
  LimitName,
  typeof unlimited
>;

/** Serves only the sign-in routes and `/guarded`, which requires an onboarded user and responds with the user's id. */
export async function startAuthApp({
  providers = {},
  people = createPeopleInMemory(),
  store = new session.MemoryStore(),
  secrets = ['the first secret of these tests'],
  secure = false,
  ...options
}: {
  providers?: Providers;
  people?: PeopleInMemory;
  store?: session.Store;
  secrets?: [string, ...string[]];
  secure?: boolean;
  signInTimeoutMilliseconds?: number;
  microsoftTenant?: string | undefined;
  proxies?: Proxies;
} = {}) {
  const logLines: string[] = [];
  const logger = createLogger({ level: 'info' }, { write: (line) => logLines.push(line) });
  const app = express();
  const { port, close } = await listen(createServer(app));
  const url = `http://${publicHost}:${port}`;
  const publicUrl = secure ? `https://${publicHost}:${port}` : url;
  const cookie = sessionCookie(publicUrl);
  const sessionOptions = { store: withPeople(store, people), secrets, cookie, trustProxy: secure };
  const sessionMiddleware = createSessionMiddleware(sessionOptions);

  app.use((request, response, next) => {
    assignContext(request, response, logger);
    next();
  });
  app.use(
    createAuthRouter({
      users: people,
      providers,
      signUp: { mode: 'open', domains: [] },
      microsoftTenant: undefined,
      publicUrl,
      proxies: { http: undefined, https: undefined, exceptions: [] },
      secrets,
      logger,
      mount: createMount({
        guards: { public: [], session: [sessionMiddleware], user: [sessionMiddleware, requireUser], onboarded: [] },
        limiters,
        bodies: createBodyReader(),
        maxBodyBytes: 1024,
        trustProxy: secure,
        logger,
      }),
      beginSession: createBeginSession(sessionOptions),
      auditSourceOf: createAuditSourceOf(secrets),
      onSignedOut: () => undefined,
      ...options,
    }),
  );
  app.get('/guarded', sessionMiddleware, requireUser, requireOnboarded, (_request, response) => {
    response.type('text/plain').send(userOf(response).id);
  });
  app.use(errorHandler);
  return { url, publicUrl, cookieName: cookie.name, people, store, logLines, close };
}

type PeopleInMemory = Database['users'] & { find(userId: string): User | null };

/** Makes the store return the user with each session and set the time of sign-in, as the database's store does. */
function withPeople(store: session.Store, people: PeopleInMemory): session.Store {
  const get = store.get.bind(store);
  store.get = (id, done) =>
    get(id, (error, data) =>
      done(error, data && { ...data, loaded: { user: people.find(data.userId), at: Date.now() } }),
    );
  const set = store.set.bind(store);
  store.set = (id, data, done) => {
    const now = Date.now();
    const { begunAt = now, renewedAt = now } = data;
    set(id, { ...data, begunAt, renewedAt }, done);
  };
  return store;
}

/** Creates users in memory. They count as onboarded from their first sign-in. */
export function createPeopleInMemory() {
  const ids = new Map<string, string>();
  const people = new Map<string, User>();
  return {
    find: (userId) => people.get(userId) ?? null,
    signOut: async () => undefined,
    join: async () => null,
    async signIn({ provider, subject, name, email }) {
      const key = JSON.stringify([provider, subject]);
      const id = ids.get(key) ?? `user-${ids.size + 1}`;
      ids.set(key, id);
      const person = people.get(id) ?? {
        id,
        name,
        email,
        onboarded: true,
        organization: { id: `org-of-${id}`, name: 'Own' },
      };
      people.set(id, person);
      return { person, action: 'signed-in', needsConfirmation: false };
    },
  } satisfies PeopleInMemory;
}
