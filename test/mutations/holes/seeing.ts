import type { Hole } from '../hole.ts';

const statusTest = (title: string) => ({ file: 'test/server/metrics/status.test.ts', title: `GET /status ${title}` });
const metricsTest = (title: string) => ({
  file: 'test/server/metrics/metrics.test.ts',
  title: `GET /metrics ${title}`,
});
const traceTest = (title: string) => ({
  file: 'test/server/tracing/traces.test.ts',
  title: `the trace of a request ${title}`,
});

/** What an operator sees of the service, and what nobody may see there. */
export const seeing: readonly Hole[] = [
  {
    name: 'A process on its way out says that it is ready',
    file: 'server/http/process/health.ts',
    find: 'draining ? 503 : 200',
    replace: 'draining ? 200 : 200',
    test: {
      file: 'test/server/http/process/health.test.ts',
      title: 'GET /readyz is 503 once the process is on its way out',
    },
  },
  {
    name: 'Each who asks for the status asks the database',
    file: 'server/metrics/part-check.ts',
    find: 'underWay ??= ask();',
    replace: 'underWay = ask();',
    test: statusTest('asks each part once for 150 who ask at once, and for the metrics beside them'),
  },
  {
    name: 'The status waits for a part for ever',
    file: 'server/metrics/part-check.ts',
    find: "late.resolve('down')",
    replace: 'undefined',
    test: statusTest('takes a part that does not answer in time for away, and asks it nothing else until it does'),
  },
  {
    name: 'What the provider did long ago counts for its state',
    file: 'server/metrics/provider-sightings.ts',
    find: 'const memorySeconds = 300;',
    replace: 'const memorySeconds = 3000;',
    test: statusTest('of the model provider, which is not asked forgets what it has seen after five minutes'),
  },
  {
    name: 'A counter is born with its first failure',
    file: 'server/metrics/turn-metrics.ts',
    find: 'for (const code of codes) turns.inc({ route, ending, code }, 0);',
    replace: '',
    test: metricsTest('has every counter from the start, at 0 for each value of its labels that is known'),
  },
  {
    name: 'Whoever asks for a path makes a label of it',
    file: 'server/metrics/request-metrics.ts',
    find: "routeNames.get(path) ?? 'other'",
    replace: 'routeNames.get(path) ?? path',
    test: metricsTest('times requests by route and class of status, whatever path somebody asks for'),
  },
  {
    name: 'A trace names the path that somebody typed',
    file: 'server/tracing/request-spans.ts',
    find: 'knownPaths.has(path) ? path : undefined',
    replace: 'path',
    test: traceTest('names no path that somebody typed'),
  },
  {
    name: 'A stranger decides to which trace a request belongs',
    file: 'server/tracing/request-spans.ts',
    find: 'const parent = believed ?',
    replace: 'const parent = propagator ?',
    test: traceTest('takes nothing from a header where the process itself is the edge'),
  },
  {
    name: 'A trace is dropped because its header asks for that',
    file: 'server/tracing/otlp-tracer.ts',
    find: '    sampler: new AlwaysOnSampler(),\n',
    replace: '',
    test: traceTest(
      'is made whether or not the proxy takes it for worth keeping, and begins anew where its header is no trace',
    ),
  },
  {
    name: 'A collector that is away fills the log',
    file: 'server/tracing/otlp-tracer.ts',
    find: 'if (failed && !away)',
    replace: 'if (failed)',
    test: traceTest('costs a request nothing where the collector is away, which is logged once'),
  },
  {
    name: "A late answer is traced as another request's",
    file: 'server/chat/late-writes.ts',
    find: 'AsyncLocalStorage.bind(write.job)',
    replace: 'write.job',
    test: {
      file: 'test/server/chat/late-writes.test.ts',
      title:
        'late writes are made in the context of the request that they belong to, whichever has found the database away',
    },
  },
  {
    name: "The proxy passes a visitor's trace on",
    file: 'docs/deploy/nginx.conf',
    find: "    proxy_set_header traceparent '';\n",
    replace: '',
    test: {
      file: 'test/deploy/nginx.services.test.ts',
      title: 'docs/deploy/nginx.conf passes on no trace that a visitor names',
    },
  },
];
