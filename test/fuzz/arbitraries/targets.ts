import fc from 'fast-check';
import { pages, routes } from '../../../shared/interface.ts';
import { providerNames } from '../../../shared/session.ts';
import { canaries } from '../canaries.ts';
import { anyLine, anyLoggedLine } from './texts.ts';

const known = [
  ...Object.values(routes),
  ...Object.values(pages),
  '/c/4f7c2a0e-5f0e-4f6e-9f59-3f1f8a1d2b3c',
  '/c/unknown',
  ...providerNames.flatMap((name) => [`${routes.signIn}/${name}`, `${routes.signIn}/${name}/callback`]),
  '/healthz',
  '/readyz',
  '/assets/app.js',
  '/api/conversations',
  '/api/conversations/c123/messages',
  '/api/engagement',
  '/api/onboarding',
  '/v1/api/chat',
  '/metrics',
  '/status',
];

const hostile = [
  '*',
  '//evil.example/',
  '/\\evil.example',
  '/%zz',
  '/c/%zz',
  '/c/a%2fb',
  '/%00',
  '/assets/%zz',
  '/assets/..%2f..%2fpackage.json',
  '/assets/../../package.json',
  '/..%5c..%5cpackage.json',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/.env',
  '/.git/config',
  '/api/chat%2fdemo',
  '/api//chat',
  '/api/./chat',
  '/api/chat;x=1',
  'http://evil.example/api/chat',
  'http://{{host}}/healthz',
  'evil.example:443',
  '',
];

const path = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...known) },
  { weight: 4, arbitrary: fc.constantFrom(...hostile) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...known), fc.constantFrom('/', '//', '/x', '%20', '.', ';', '\\'))
      .map(([one, other]) => one + other),
  },
  { weight: 1, arbitrary: fc.constantFrom(...known).map((one) => one.toUpperCase()) },
  { weight: 1, arbitrary: anyLoggedLine.map((line) => `/${encodeURIComponent(line)}`) },
  { weight: 1, arbitrary: fc.integer({ min: 1_000, max: 15_000 }).map((length) => `/${'x'.repeat(length)}`) },
);

const parameter = fc
  .tuple(
    fc.constantFrom(
      'returnTo',
      'problem',
      'invitation',
      'moved',
      'code',
      'state',
      'error',
      'x',
      'a[b][c]',
      '__proto__',
    ),
    fc.oneof(
      fc.constantFrom(
        '/chat',
        '//evil.example',
        'https://evil.example',
        '/\\evil.example',
        '%0d%0aX-Request-Id:%20two',
      ),
      fc.constant(canaries.typed),
      anyLine.map(encodeURIComponent),
    ),
  )
  .map(([name, value]) => `${name}=${value}`);

const query = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: fc.array(parameter, { minLength: 1, maxLength: 4 }).map((all) => `?${all.join('&')}`) },
  { weight: 1, arbitrary: fc.constantFrom('?', '??', '?%', '?a[]=1&a[]=2', `?${'a[]=1&'.repeat(500)}`) },
);

/** What stands between the method and the version of a request line. */
export const anyTarget = fc.tuple(path, query).map((parts) => parts.join(''));
