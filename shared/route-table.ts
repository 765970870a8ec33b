import { bodyLimits } from './body-limits.ts';
import { routes } from './interface.ts';

/** At most `requests` of one user or one address are admitted in any trailing window of `windowSeconds`. */
type Limit = {
  countedBy: 'user' | 'address';
  requests: number;
  windowSeconds: number;
  /** Replaces the sentence of `RATE_LIMITED`. */
  sentence?: string;
};

// High enough for an office behind one address where everyone signs in on Monday morning.
const officeLimit = { countedBy: 'address', requests: 300, windowSeconds: 600 } as const;
const signInLimit = { ...officeLimit, sentence: 'Too many sign-in attempts from your network.' } as const;

/** The first two rows are the specification's. The names are part of the keys in Redis. */
export const limits = {
  live: { countedBy: 'user', requests: 60, windowSeconds: 60 },
  demo: { countedBy: 'address', requests: 15, windowSeconds: 3600 },
  signInStart: signInLimit,
  signInCallback: signInLimit,
  joining: signInLimit,
  onboarding: { ...officeLimit, sentence: 'Too many onboarding forms from your network.' },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof limits;

export type Route = {
  /**
   * Pages of another site can send only GET and HEAD. So a GET must change nothing that another site could want changed; the steps
   * of a sign-in have checks of their own.
   */
  method: 'GET' | 'POST';
  path: string;
  /**
   * `public` loads no session before the handlers, `session` loads a session if there is one, `user` and `onboarded` refuse
   * everyone else.
   */
  access: 'public' | 'session' | 'user' | 'onboarded';
  limit?: LimitName;
  /** Absent if the body is ignored. `MAX_BODY_BYTES` replaces the bound of live chat, and applies to the others if it is smaller. */
  maxBodyBytes?: number;
  /** Sends `Cache-Control: no-store`. */
  noStore?: true;
};

/**
 * The facts of each route. The server mounts a route, and `docs/routes.ts` describes it, by the name of its row. The client knows only
 * the paths of `routes`, so that this table is not part of its first load.
 */
export const routeTable = {
  liveChat: {
    method: 'POST',
    path: routes.liveChat,
    access: 'onboarded',
    limit: 'live',
    maxBodyBytes: bodyLimits.liveChat,
  },
  demoChat: {
    method: 'POST',
    path: routes.demoChat,
    access: 'public',
    limit: 'demo',
    maxBodyBytes: bodyLimits.demoChat,
  },
  session: { method: 'GET', path: routes.session, access: 'session', noStore: true },
  signOut: { method: 'POST', path: routes.signOut, access: 'session' },
  signOutEverywhere: { method: 'POST', path: routes.signOutEverywhere, access: 'user' },
  join: { method: 'POST', path: routes.join, access: 'user', limit: 'joining', maxBodyBytes: 16 * 1024 },
  signInStart: {
    method: 'GET',
    path: `${routes.signIn}/{provider}`,
    access: 'public',
    limit: 'signInStart',
    noStore: true,
  },
  signInCallback: {
    method: 'GET',
    path: `${routes.signIn}/{provider}/callback`,
    access: 'public',
    limit: 'signInCallback',
    noStore: true,
  },
  onboarding: {
    method: 'POST',
    path: routes.onboarding,
    access: 'user',
    limit: 'onboarding',
    maxBodyBytes: 64 * 1024,
  },
  health: { method: 'GET', path: '/healthz', access: 'public', noStore: true },
  readiness: { method: 'GET', path: '/readyz', access: 'public', noStore: true },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routeTable;
