import type { Mutation } from '../mutation.ts';

export const whoMay: readonly Mutation[] = [
  {
    name: 'A 401 is a 403',
    file: 'shared/errors.ts',
    find: 'UNAUTHENTICATED: { status: 401,',
    replace: 'UNAUTHENTICATED: { status: 403,',
    rows: [6, 11, 20, 22, 24, 31, 32, 33, 34, 35, 36, 40, 42, 120],
  },
  {
    name: 'Cookies are signed with a secret that everybody can read here',
    file: 'server/auth/sessions.ts',
    find: 'secret: [...secrets],',
    replace: "secret: 'advisory chat',",
    rows: [32],
  },
  {
    name: 'Everybody who comes by is given a cookie',
    file: 'server/auth/guards.ts',
    find: "if (principal === null) throw new AppError('UNAUTHENTICATED');",
    replace:
      "if (principal === null) {\n    _response.cookie('visitor', 'x');\n    throw new AppError('UNAUTHENTICATED');\n  }",
    rows: [36],
  },
  {
    name: 'Nobody is asked whether they are onboarded',
    file: 'server/auth/guards.ts',
    find: 'if (!currentUser(request).onboarded)',
    replace: 'if (!currentUser(request))',
    rows: [6, 22, 37, 38, 39, 40, 44, 120],
  },
  {
    name: 'Signing out leaves the session in the store',
    file: 'server/auth/routes.ts',
    find: 'router.post(routes.signOut, sessionMiddleware, (request, response) => signOut(request, response, false));',
    replace: 'router.post(routes.signOut, (_request, response) => void response.status(204).end());',
    rows: [42],
  },
  {
    name: 'The same e-mail address at two providers is one person',
    file: 'server/database/migrations/2026-11-22-people.ts',
    find: 'where provider = account_provider and subject = account_subject for update of users',
    replace: 'where subject = account_subject for update of users',
    rows: [43],
  },
  {
    name: 'The SPA takes a 403 for a failed turn',
    file: 'client/chat/outcome.ts',
    find: " || outcome.code === 'NOT_ONBOARDED'",
    replace: '',
    rows: [44],
  },
];
