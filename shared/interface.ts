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
  violations: '/csp-reports',
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

export const headers = {
  requestId: 'X-Request-Id',
  conversationId: 'X-Conversation-Id',
  promptVersion: 'X-Prompt-Version',
} as const;

/** The one Trusted Types policy that the Content-Security-Policy lets a page make. */
export const trustedTypesPolicy = 'own-worker';

/** The version of the system prompt's schema: sent on live chat and stored with every assistant message. */
export const promptVersion = '1.0.0';
