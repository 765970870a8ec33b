import type { Mutation } from '../mutation.ts';

export const everyResponseBounds: readonly Mutation[] = [
  {
    name: 'X-Forwarded-Proto is believed without a proxy',
    file: 'server/http/requests/preconditions.ts',
    find: '(trustProxy && forwarded',
    replace: '(forwarded',
    rows: [18],
  },
  {
    name: 'HSTS is not sent',
    file: 'server/app.ts',
    find: 'if (https) app.use(strictTransport);',
    replace: '',
    rows: [18],
  },
  {
    name: 'A bearer token stands for the session cookie',
    file: 'server/auth/sessions.ts',
    find: 'load(request, response, (error?: unknown) => {',
    replace:
      'request.headers.cookie ??= request.headers.authorization?.replace(/^Bearer /, cookieName(name, secure) + "=");\n    load(request, response, (error?: unknown) => {',
    rows: [20],
  },
  {
    name: 'A redirect of the provider is followed',
    file: 'server/model/anthropic-model.ts',
    find: 'if (response.status >= 300)',
    replace:
      'if (response.headers.location) await fetch(String(response.headers.location));\n    if (response.status >= 300)',
    rows: [21],
  },
  {
    name: 'A 429 has X-RateLimit headers',
    file: 'server/http/replies/error-handler.ts',
    find: "response.set('Retry-After', String(retryAfterSeconds))",
    replace: "response.set({ 'X-RateLimit-Remaining': '0', 'Retry-After': String(retryAfterSeconds) })",
    rows: [22],
  },
  {
    name: 'A 429 has no Retry-After',
    file: 'server/http/replies/error-handler.ts',
    find: "if (retryAfterSeconds !== undefined) response.set('Retry-After', String(retryAfterSeconds));",
    replace: '',
    rows: [23, 116, 119, 121, 122, 124, 131],
  },
  {
    name: 'A 503 has a Retry-After too',
    file: 'server/http/replies/error-handler.ts',
    find: "if (retryAfterSeconds !== undefined) response.set('Retry-After', String(retryAfterSeconds));",
    replace: "if (status === 429 || status === 503) response.set('Retry-After', String(retryAfterSeconds ?? 5));",
    rows: [23, 110],
  },
  {
    name: 'Who accepts an event stream is told that the reply is one',
    file: 'server/http/replies/text-reply.ts',
    find: '{ ...replyHeaders, ...headers }',
    replace:
      "{ ...replyHeaders, ...headers, ...(response.req.headers.accept === 'text/event-stream' && { 'Content-Type': 'text/event-stream' }) }",
    rows: [24, 65],
  },
  {
    name: 'A planned route is there',
    file: 'server/app.ts',
    find: "app.use('/api', notFound);",
    replace:
      "app.get('/api/engagement', (_request, response) => void response.json({ data: null }));\n  app.use('/api', notFound);",
    rows: [25, 26, 27],
  },
  {
    name: "The SPA's page answers every address that is no route",
    file: 'server/pages/built-pages.ts',
    find: 'router.get([...Object.values(pages), conversationPage.addresses],',
    replace: "router.get('/{*path}',",
    rows: [3, 4, 5, 11, 19, 26],
  },
  {
    name: 'A 405 does not say what is allowed',
    file: 'server/http/requests/post-only.ts',
    find: "response.set('Allow', 'POST');",
    replace: '',
    rows: [28],
  },
  {
    name: 'Live chat is also at /api/chat/ and /api/Chat',
    file: 'server/chat/live-route.ts',
    find: 'Router({ caseSensitive: true, strict: true })',
    replace: 'Router()',
    rows: [29],
  },
  {
    name: 'The onboarding page is not served',
    file: 'server/pages/built-pages.ts',
    find: '...Object.values(pages)',
    replace: "'/', '/chat', '/sign-in'",
    rows: [2, 30],
  },
];
