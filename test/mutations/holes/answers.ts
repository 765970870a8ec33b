import type { Hole } from '../hole.ts';

const requests = 'test/server/http/requests/requests.test.ts';
const protecting = 'app.use(securityHeaders({ development: parts.development ?? false }));';
const protectingOnly = (condition: string) =>
  `const protect = securityHeaders({ development: parts.development ?? false });
  app.use((request, response, next) => (${condition} ? protect(request, response, next) : next()));`;

/** Answers that a browser must not misread, and those of the sign-in providers. */
export const answers: readonly Hole[] = [
  {
    name: 'An answer of a sign-in provider may have any size',
    file: 'server/auth/provider-calls.ts',
    find: 'bytes > mostBytes',
    replace: 'bytes > Infinity',
    test: {
      file: 'test/server/auth/exchange.test.ts',
      title:
        'a provider that does not answer as expected is unavailable when /user answers with more than a megabyte, and reads no further',
    },
  },
  {
    name: 'Health checks leave a browser to guess their type',
    file: 'server/app.ts',
    find: protecting,
    replace: protectingOnly("!request.path.endsWith('z')"),
    test: {
      file: 'test/server/http/replies/response-headers.test.ts',
      title: 'the headers for browsers are on /healthz where it is 200',
    },
  },
  {
    name: 'The refusal of plain HTTP may be framed',
    file: 'server/app.ts',
    find: protecting,
    replace: protectingOnly("!production || request.headers['x-forwarded-proto'] === 'https'"),
    test: {
      file: requests,
      title:
        'HTTPS only has the headers for browsers on the refusal, but says nothing of HTTPS where nobody can trust it',
    },
  },
  {
    name: 'HSTS is sent over plain HTTP',
    file: 'server/http/replies/security-headers.ts',
    find: 'strictTransportSecurity: false,',
    replace: 'strictTransportSecurity: true,',
    test: {
      file: requests,
      title:
        'HTTPS only has the headers for browsers on the refusal, but says nothing of HTTPS where nobody can trust it',
    },
  },
  {
    name: 'A browser may guess the type of what the parser answers',
    file: 'server/http/process/parser-errors.ts',
    find: "      'X-Content-Type-Options: nosniff',\n",
    replace: '',
    test: {
      file: requests,
      title: 'every response lets no browser guess a type or frame the answer to bytes that are not HTTP',
    },
  },
  {
    name: 'What the parser answers may be framed',
    file: 'server/http/process/parser-errors.ts',
    find: "; frame-ancestors 'none'",
    replace: '',
    test: {
      file: requests,
      title: 'every response lets no browser guess a type or frame the answer to oversize headers',
    },
  },
  {
    name: 'What the proxy answers by itself may be framed',
    file: 'docs/deploy/nginx.conf',
    find: '  add_header Content-Security-Policy   $missing_policy       always;\n',
    replace: '',
    test: {
      file: 'test/deploy/nginx.services.test.ts',
      title:
        'docs/deploy/nginx.conf lets no browser guess a type or frame what it answers by itself, and repeats nothing of the service',
    },
  },
  {
    name: 'Only failures are logged',
    file: 'server/http/requests/request-log.ts',
    find: '      observe?.(line, response);\n',
    replace: "      observe?.(line, response);\n      if (level === 'info' && status >= 400) return;\n",
    test: {
      file: 'test/server/http/requests/request-log.test.ts',
      title:
        'the line of a request that is refused says so where nobody is signed in, and when, in milliseconds since 1970',
    },
  },
];
