/** The routes and headers that both sides name. Paths are matched exactly: other case or a trailing slash is another path. */
export const routes = {
  liveChat: '/api/chat',
  demoChat: '/api/chat/demo',
  session: '/auth/session',
  signIn: '/auth',
  signOut: '/auth/sign-out',
  signOutEverywhere: '/auth/sign-out-everywhere',
  join: '/auth/join',
  onboarding: '/onboarding',
} as const;

/** The pages of the client; every other path that is no route and no asset is a 404. */
export const pages = {
  demo: '/',
  chat: '/chat',
  signIn: '/sign-in',
  onboarding: '/onboarding',
} as const;

/**
 * The pages of single conversations. The client makes their ids and keeps them on the person's device: the server does not
 * know them, and answers with the page whatever the id.
 */
export const conversationPage = { route: '/c/:id', addresses: /^\/c\/(?<id>[\w-]{1,64})$/ } as const;

/** The address of the page of the conversation `id`. */
export function conversationAddress(id: string): string {
  return `/c/${id}`;
}

/** One limit: so many requests of a user or of an address are admitted in any trailing window. */
type Limit = {
  method: 'GET' | 'POST';
  path: string;
  countedBy: 'user' | 'address';
  requests: number;
  windowSeconds: number;
  /** What a refusal says before the wait, in place of its code's own sentence: a person may see it as a page. */
  sentence?: string;
};

// An office behind one address signs in on a Monday morning.
const ofAnOffice = { countedBy: 'address', requests: 300, windowSeconds: 600 } as const;
const signIns = { ...ofAnOffice, sentence: 'Too many sign-in attempts from your network.' } as const;

/** The limited routes. The first two rows are the specification's. */
export const limits = {
  live: { method: 'POST', path: routes.liveChat, countedBy: 'user', requests: 60, windowSeconds: 60 },
  demo: { method: 'POST', path: routes.demoChat, countedBy: 'address', requests: 15, windowSeconds: 3600 },
  signInStart: { method: 'GET', path: `${routes.signIn}/{provider}`, ...signIns },
  signInCallback: { method: 'GET', path: `${routes.signIn}/{provider}/callback`, ...signIns },
  joining: { method: 'POST', path: routes.join, ...signIns },
  onboarding: {
    method: 'POST',
    path: routes.onboarding,
    ...ofAnOffice,
    sentence: 'Too many onboarding forms from your network.',
  },
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof limits;

/** What each chat route asks of the model. */
export const modelOptions = {
  live: { maxTokens: 4096, effort: 'high' },
  demo: { maxTokens: 2048, effort: 'medium' },
} as const;

export const headers = {
  requestId: 'X-Request-Id',
  conversationId: 'X-Conversation-Id',
  promptVersion: 'X-Prompt-Version',
} as const;

/** The version of the interface of both chat routes. Paths carry none. */
export const interfaceVersion = '1.0.0';

/** The version of the system prompt's schema: sent on live chat and stored with every assistant message. */
export const promptVersion = '1.0.0';

/** The script that opens the pages without a network, and the Trusted Types policy that may register it. */
export const serviceWorker = { path: '/service-worker.js', policy: 'service-worker' } as const;

/** The page that draws one diagram, in a sandboxed frame of a conversation's page, and its files. */
export const diagramPage = { path: '/diagram', files: '/assets/diagram/' } as const;
