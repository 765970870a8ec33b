import type { Hole } from '../hole.ts';

const addresses = 'test/server/http/client-address.test.ts';
const limits = 'test/server/http/address-limit.test.ts';
const origins = 'test/server/http/same-origin.test.ts';

/** Where the service meets the network: addresses, cross-site requests, the content security policy, connections. */
export const edge: readonly Hole[] = [
  {
    name: 'A process that is the edge believes the headers of its clients',
    file: 'server/http/client-address.ts',
    find: '(!edge && namedAddress(headers))',
    replace: 'namedAddress(headers)',
    test: {
      file: addresses,
      title: "the client's address is that of the connection where the process is the edge, whatever headers say",
    },
  },
  {
    name: 'A process that ends TLS itself is not the edge',
    file: 'server/config/config.ts',
    find: 'edge: tls !== undefined && !environment.TRUST_PROXY',
    replace: 'edge: false',
    test: {
      file: 'test/server/config/config.test.ts',
      title: 'loadConfig is the edge where it ends TLS itself and has no proxy in front',
    },
  },
  {
    name: 'Each address of an IPv6 network counts by itself',
    file: 'server/http/client-address.ts',
    find: 'address.parts.slice(0, 4)',
    replace: 'address.parts',
    test: { file: addresses, title: "the client's address counts IPv6 by its /64" },
  },
  {
    name: 'A mapped address is another visitor than its IPv4',
    file: 'server/http/client-address.ts',
    find: 'if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();',
    replace: '',
    test: { file: addresses, title: "the client's address counts a mapped address as its IPv4" },
  },
  {
    name: 'Each port of an address is a visitor of its own',
    file: 'server/http/client-address.ts',
    find: 'const bare = withoutPort(text);',
    replace: 'const bare = text;',
    test: { file: addresses, title: "the client's address leaves out the port" },
  },
  {
    name: 'What browsers say of where a request is from is not looked at',
    file: 'server/http/same-origin.ts',
    find: '!fromOwnSite || !isOwnOrigin',
    replace: '!isOwnOrigin',
    test: { file: origins, title: 'requireSameOrigin refuses what the browser calls cross-site' },
  },
  {
    name: "Another host of the site's domain passes for the site",
    file: 'server/http/same-origin.ts',
    find: "['same-origin', 'none']",
    replace: "['same-origin', 'same-site', 'none']",
    test: { file: origins, title: "requireSameOrigin refuses a neighbour under the site's domain" },
  },
  {
    name: 'A hidden origin passes for none',
    file: 'server/http/same-origin.ts',
    find: 'if (origin === undefined) return true;',
    replace: "if (origin === undefined || origin === 'null') return true;",
    test: { file: origins, title: 'requireSameOrigin refuses an origin that is hidden' },
  },
  {
    name: "Another site's page may use a visitor's demo chat",
    file: 'server/app.ts',
    find: '[routes.demoChat, routes.liveChat, routes.signOut,',
    replace: '[routes.liveChat, routes.signOut,',
    test: { file: origins, title: "another site's page is refused at /api/chat/demo, in plain text" },
  },
  {
    name: "Another site's page may use a visitor's live chat",
    file: 'server/app.ts',
    find: '[routes.demoChat, routes.liveChat, routes.signOut,',
    replace: '[routes.demoChat, routes.signOut,',
    test: { file: origins, title: "another site's page uses up nothing of a visitor's limits" },
  },
  {
    name: 'A network may start as many sign-ins as it likes',
    file: 'server/app.ts',
    find: "app.get(signInPaths, limitOf('signInStart'));",
    replace: '',
    test: {
      file: limits,
      title:
        'the limits by address refuse an address that has used up the start of a sign-in, in words for a page, until the wait is over',
    },
  },
  {
    name: 'The start and the callback of a sign-in use up one limit',
    file: 'server/app.ts',
    find: "limitOf('signInCallback')",
    replace: "limitOf('signInStart')",
    test: {
      file: limits,
      title:
        'the limits by address are each by themselves: who can start no sign-in any more can still finish one, over all providers',
    },
  },
  {
    name: 'Onboarding is limited after its sender was looked up',
    file: 'server/app.ts',
    find: "  app.post(routes.onboarding, limitOf('onboarding'));",
    replace: "  app.post(routes.onboarding, ...signedIn, limitOf('onboarding'));",
    test: { file: limits, title: 'the limits by address refuse a form before its sender is looked up' },
  },
  {
    name: 'A refused sign-in is told of too many requests',
    file: 'server/limits/limiters.ts',
    find: 'signInStart: tooManySignInsSentence',
    replace: 'signInStart: undefined',
    test: {
      file: limits,
      title:
        'the limits by address refuse an address that has used up the start of a sign-in, in words for a page, until the wait is over',
    },
  },
];
