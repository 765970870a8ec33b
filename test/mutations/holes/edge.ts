import type { Hole } from '../hole.ts';

const addresses = 'test/server/http/requests/client-address.test.ts';
const connections = 'test/server/http/process/idle-connections.test.ts';
const proxy = 'test/deploy/nginx.services.test.ts';
const limits = 'test/server/http/requests/address-limit.test.ts';
const violations = 'test/server/http/requests/violation-route.test.ts';
const origins = 'test/server/http/requests/same-origin.test.ts';
const certificates = 'test/server/http/process/certificate.services.test.ts';
const reloading = 'test/server/reload.services.test.ts';
const builtPages = 'test/server/pages/built-pages.test.ts';
const asItIs =
  'the built pages answer an asset to somebody who names no coding as it is, and tell caches that it depends on that';

/** Where the service meets the network: addresses, cross-site requests, the content security policy, connections. */
export const edge: readonly Hole[] = [
  {
    name: 'A process that is the edge believes the headers of its clients',
    file: 'server/http/requests/client-address.ts',
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
    file: 'server/http/requests/client-address.ts',
    find: 'address.parts.slice(0, 4)',
    replace: 'address.parts',
    test: { file: addresses, title: "the client's address counts IPv6 by its /64" },
  },
  {
    name: 'A mapped address is another visitor than its IPv4',
    file: 'server/http/requests/client-address.ts',
    find: 'if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();',
    replace: '',
    test: { file: addresses, title: "the client's address counts a mapped address as its IPv4" },
  },
  {
    name: 'Each port of an address is a visitor of its own',
    file: 'server/http/requests/client-address.ts',
    find: 'const bare = withoutPort(text);',
    replace: 'const bare = text;',
    test: { file: addresses, title: "the client's address leaves out the port" },
  },
  {
    name: 'What browsers say of where a request is from is not looked at',
    file: 'server/http/requests/same-origin.ts',
    find: '!fromOwnSite || !isOwnOrigin',
    replace: '!isOwnOrigin',
    test: { file: origins, title: 'requireSameOrigin refuses what the browser calls cross-site' },
  },
  {
    name: "Another host of the site's domain passes for the site",
    file: 'server/http/requests/same-origin.ts',
    find: "['same-origin', 'none']",
    replace: "['same-origin', 'same-site', 'none']",
    test: { file: origins, title: "requireSameOrigin refuses a neighbour under the site's domain" },
  },
  {
    name: 'A hidden origin passes for none',
    file: 'server/http/requests/same-origin.ts',
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
  {
    name: 'Text may become markup on a page',
    file: 'server/http/replies/security-headers.ts',
    find: 'requireTrustedTypesFor: ["\'script\'"],',
    replace: '',
    test: { file: 'test/e2e/strict-page.test.ts', title: 'a page of the product makes no markup of text' },
  },
  {
    name: 'A page runs a script that is written into it',
    file: 'server/http/replies/security-headers.ts',
    find: 'scriptSrc: [...self, ...inline]',
    replace: 'scriptSrc: [...self, "\'unsafe-inline\'"]',
    test: {
      file: 'test/e2e/strict-page.test.ts',
      title: 'a page of the product runs no script that is written into it',
    },
  },
  {
    name: 'A page may make any policy',
    file: 'server/http/replies/security-headers.ts',
    find: 'trustedTypes: [trustedTypesPolicy]',
    replace: "trustedTypes: ['*', \"'allow-duplicates'\"]",
    test: {
      file: 'test/e2e/strict-page.test.ts',
      title: 'a page of the product makes no policy that would, nor its own once more',
    },
  },
  {
    name: 'Nobody hears of what breaks the policy',
    file: 'server/http/replies/security-headers.ts',
    find: 'reportUri: [routes.violations],',
    replace: '',
    test: {
      file: violations,
      title:
        'the Content-Security-Policy lets pages load what is our own, make no markup of text, and report what breaks it',
    },
  },
  {
    name: 'Reports are logged with the queries of addresses',
    file: 'server/http/requests/violation.ts',
    find: 'url.protocol : url.pathname',
    replace: 'url.protocol : url.pathname + url.search',
    test: { file: violations, title: 'POST /csp-reports never logs a query, a sample or a referrer' },
  },
  {
    name: 'One report fills the log',
    file: 'server/http/requests/violation.ts',
    find: 'report.slice(0, most)',
    replace: 'report',
    test: { file: violations, title: 'POST /csp-reports logs at most five violations of one request' },
  },
  {
    name: 'What a report says is logged at any length',
    file: 'server/http/requests/violation.ts',
    find: 'value.slice(0, mostCharacters)',
    replace: 'value',
    test: { file: violations, title: 'POST /csp-reports cuts what is long' },
  },
  {
    name: 'Anybody reports as much as they like',
    file: 'server/http/requests/violation-route.ts',
    find: '    limit,\n    (request',
    replace: '    (request',
    test: { file: violations, title: 'POST /csp-reports admits 20 requests a minute of one address' },
  },
  {
    name: 'A report may have any size',
    file: 'server/http/requests/violation-route.ts',
    find: 'limit: mostBytes',
    replace: 'limit: Infinity',
    test: { file: violations, title: 'POST /csp-reports refuses a report over 16 KiB' },
  },
  {
    name: 'One address holds as many connections as it likes',
    file: 'server/http/process/idle-connections.ts',
    find: 'if (connections.size <= most) return;',
    replace: 'return;',
    test: {
      file: connections,
      title:
        'idle and unfinished connections are bounded for each address: of more, the oldest is closed and the newcomer is served',
    },
  },
  {
    name: 'All addresses share one number of idle connections',
    file: 'server/http/process/idle-connections.ts',
    find: 'countedAddress(remoteAddress)',
    replace: "''",
    test: { file: connections, title: 'idle and unfinished connections of one address keep no other out' },
  },
  {
    name: 'A request whose body never ends is taken for one that is being answered',
    file: 'server/http/process/idle-connections.ts',
    find: '!response.req.complete && !response.headersSent',
    replace: 'false',
    test: {
      file: connections,
      title: 'idle and unfinished connections are those whose body has not wholly arrived, too',
    },
  },
  {
    name: 'A reply under way is closed where its address has many connections',
    file: 'server/http/process/idle-connections.ts',
    find: '[...connections].filter(isIdle)',
    replace: '[...connections]',
    test: {
      file: connections,
      title: 'idle and unfinished connections are not those with a reply under way, which nothing here closes',
    },
  },
  {
    name: 'The proxy passes on what visitors say their address is',
    file: 'docs/deploy/nginx.conf',
    find: 'X-Forwarded-For $remote_addr;',
    replace: 'X-Forwarded-For $proxy_add_x_forwarded_for;',
    test: {
      file: proxy,
      title: 'docs/deploy/nginx.conf counts a visitor by the connection, whatever addresses they name',
    },
  },
  {
    name: 'The proxy answers to any name in the Host header',
    file: 'docs/deploy/nginx.conf',
    find: '    return 444;\n',
    replace: '',
    test: {
      file: proxy,
      title: 'docs/deploy/nginx.conf answers to no other name, neither in TLS nor in the Host header',
    },
  },
  {
    name: 'The proxy shows its certificate to any name',
    file: 'docs/deploy/nginx.conf',
    find: '    ssl_reject_handshake on;',
    replace:
      '    ssl_certificate /etc/nginx/certs/fullchain.pem;\n    ssl_certificate_key /etc/nginx/certs/privkey.pem;',
    test: {
      file: proxy,
      title: 'docs/deploy/nginx.conf answers to no other name, neither in TLS nor in the Host header',
    },
  },
  {
    name: 'The proxy speaks suites without forward secrecy',
    file: 'docs/deploy/nginx.conf',
    find: 'ssl_ciphers         ECDHE',
    replace: 'ssl_ciphers         AES128-GCM-SHA256:ECDHE',
    test: {
      file: proxy,
      title: 'docs/deploy/nginx.conf speaks TLS 1.2 and 1.3, with forward secrecy and authenticated encryption alone',
    },
  },
  {
    name: 'A renewed certificate is never shown',
    file: 'server/http/process/certificate.ts',
    find: 'use(found);',
    replace: '',
    test: {
      file: certificates,
      title: 'watchCertificate finds by itself that a link leads to other files, and that files have other contents',
    },
  },
  {
    name: 'A certificate that is cut short takes the place of the one in use',
    file: 'server/http/process/certificate.ts',
    find: 'if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {',
    replace: "if (cert === 'none') {",
    test: {
      file: reloading,
      title:
        'a process that is sent SIGHUP keeps the certificate in use where another one cannot be, says so each time, and takes the next that can',
    },
  },
  {
    name: 'SIGHUP ends the process',
    file: 'server/serve.ts',
    find: 'else void reload();',
    replace: "else stopOn('SIGHUP');",
    test: {
      file: reloading,
      title:
        'a process that is sent SIGHUP goes on and says so where the certificate is the same, and where it has none',
    },
  },
  {
    name: 'A file is sent in a coding that nobody asked for',
    file: 'server/pages/built-files.ts',
    find: 'if (request.acceptsEncodings(coding))',
    replace: "if (request.method !== 'HEAD')",
    test: { file: builtPages, title: asItIs },
  },
  {
    name: 'Caches are not told that a file depends on the coding',
    file: 'server/pages/built-files.ts',
    find: "response.vary('Accept-Encoding');",
    replace: '',
    test: { file: builtPages, title: asItIs },
  },
  {
    name: 'A refusal in place of a file is kept for a year, and said to be compressed',
    file: 'server/pages/built-files.ts',
    find: 'router.use(withoutHeadersOfTheFile);',
    replace: '',
    test: {
      file: builtPages,
      title: 'the built pages refuse a precondition in a sentence that is neither compressed nor to be kept',
    },
  },
  {
    name: 'The proxy sends a question a second time',
    file: 'docs/deploy/nginx.conf',
    find: 'proxy_next_upstream   error timeout http_503;',
    replace: 'proxy_next_upstream   error timeout http_503 non_idempotent;',
    test: {
      file: proxy,
      title:
        'docs/deploy/nginx.conf, of two instances sends no POST a second time that one of them may have had, and every GET',
    },
  },
  {
    name: 'The proxy logs the query, where sign-in codes are',
    file: 'docs/deploy/nginx.conf',
    find: '"path":"$logged_path"',
    replace: '"path":"$request_uri"',
    test: {
      file: proxy,
      title:
        'docs/deploy/nginx.conf, of two instances of which none can be reached logs neither the query nor the address of a visitor',
    },
  },
  {
    name: 'An instance that stops refuses who has just connected',
    file: 'server/shutdown.ts',
    find: "      await Promise.race([drained, arrived, once(cut.signal, 'abort')]);\n",
    replace: '      void arrived;\n',
    test: {
      file: 'test/server/stopping.process.test.ts',
      title:
        'a process that is told to stop serves who connected before that and asks a moment later: a balancer sends nobody elsewhere who has a connection',
    },
  },
];
