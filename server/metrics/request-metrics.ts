import { Counter, Histogram, type Registry } from 'prom-client';
import { conversationPage, pages, routes } from '../../shared/interface.ts';
import { signInProblems } from '../../shared/session.ts';
import type { RequestLine } from '../http/requests/request-log.ts';

const routeNames: ReadonlyMap<string, string> = new Map([
  [routes.liveChat, 'live'],
  [routes.demoChat, 'demo'],
  [routes.session, 'session'],
  [routes.signOut, 'sign_out'],
  [routes.signOutEverywhere, 'sign_out_everywhere'],
  [routes.join, 'join'],
  [routes.onboarding, 'onboarding'],
  [routes.violations, 'violations'],
]);
const pagePaths: ReadonlySet<string> = new Set(Object.values(pages));
const otherRoutes = ['sign_in', 'sign_in_callback', 'page', 'asset', 'other'];
const statusClasses = ['2xx', '3xx', '4xx', '5xx'];

const signInPath = new RegExp(`^${routes.signIn}/([a-z]+)(/callback)?$`);
const arrivals = ['signed-in', 'signed-up'];

/** Requests by route, and sign-ins. `providers` are those that people can sign in with. */
export function createRequestMetrics(registry: Registry, providers: readonly string[]) {
  const registers = [registry];
  const durations = new Histogram({
    name: 'advisory_chat_http_request_duration_seconds',
    help: 'From the arrival of a request to the end of its response, by route and class of the status.',
    labelNames: ['route', 'status'],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 300],
    registers,
  });
  for (const route of [...routeNames.values(), ...otherRoutes]) {
    for (const status of statusClasses) durations.zero({ route, status });
  }

  const signIns = new Counter({
    name: 'advisory_chat_sign_ins_total',
    help: 'People who came back from a sign-in provider, by what became of it.',
    labelNames: ['provider', 'outcome'],
    registers,
  });
  for (const provider of providers) {
    for (const outcome of [...arrivals, ...Object.keys(signInProblems)]) signIns.inc({ provider, outcome }, 0);
  }

  /** Takes note of a request that is over. */
  return ({ method, path, status, durationMs, signIn }: RequestLine): void => {
    const [, provider, callback] = signInPath.exec(path) ?? [];
    const known = provider !== undefined && providers.includes(provider) ? { provider, callback } : undefined;
    const route = known === undefined ? routeOf(method, path) : known.callback ? 'sign_in_callback' : 'sign_in';
    durations.observe({ route, status: `${Math.floor(status / 100)}xx` }, durationMs / 1000);
    if (known !== undefined && signIn !== undefined) signIns.inc({ provider: known.provider, outcome: signIn });
  };
}

/** One of a few names, whatever path somebody asks for. */
function routeOf(method: string, path: string): string {
  if (path.startsWith('/assets/')) return 'asset';
  if (method !== 'POST' && (pagePaths.has(path) || conversationPage.addresses.test(path))) return 'page';
  return routeNames.get(path) ?? 'other';
}
