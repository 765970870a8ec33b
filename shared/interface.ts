/**
 * The paths that the client calls. `route-table.ts` has the other facts of each route. Paths match exactly: the server is
 * case-sensitive and does not ignore a trailing slash.
 */
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

/** The pages of the client. A path that is neither a page, a route nor an asset is a 404. */
export const pages = {
  demo: '/',
  chat: '/chat',
  signIn: '/sign-in',
  onboarding: '/onboarding',
} as const;

/** The id exists on the device only, so the server serves the page for any id. */
export const conversationPage = { route: '/c/:id', pattern: /^\/c\/(?<id>[\w-]{1,64})$/ } as const;

export function conversationPath(id: string): string {
  return `/c/${id}`;
}

export const modelOptions = {
  live: { maxTokens: 4096, effort: 'high' },
  demo: { maxTokens: 2048, effort: 'medium' },
} as const;

export const headers = {
  requestId: 'X-Request-Id',
  conversationId: 'X-Conversation-Id',
  promptVersion: 'X-Prompt-Version',
} as const;

/** The version of the interface of both chat routes. It is not part of the paths. */
export const interfaceVersion = '1.0.0';

/** The version of the system prompt's schema. Live chat sends it as a header and stores it with every assistant message. */
export const promptVersion = '1.0.0';

/** The script that serves the pages offline, and the Trusted Types policy that allows its registration. */
export const serviceWorker = { path: '/service-worker.js', policy: 'service-worker' } as const;

/** The page that draws a diagram, which the client embeds in a sandboxed iframe, and the directory of that page's assets. */
export const diagramPage = { path: '/diagram', filesPath: '/assets/diagram/' } as const;
