import { expect } from 'chai';
import type { RequestHandler } from 'express';
import { describe, it } from 'mocha';
import { createMount } from '../../../server/http/route-checks.ts';
import { type LimitName, limits, type Route, type RouteName, routeTable } from '../../../shared/route-table.ts';
import { serveExpress } from '../../support/serve-express.ts';

const client = '203.0.113.7';
/** More than the bound of any route. */
const maxBodyBytes = 2 * 1024 * 1024;

/** Serves the route `name`, which responds with 204, and records the checks of each request. The guard finds the user `a-user`. */
async function serve(name: RouteName, { trustProxy = true } = {}) {
  const checks: string[] = [];
  const record = (check: string): RequestHandler => {
    return (_request, _response, next) => {
      checks.push(check);
      next();
    };
  };
  const user = { id: 'a-user', name: 'Avery', email: null, onboarded: true, organization: { id: 'o', name: 'Own' } };
  const findUser: RequestHandler = (_request, response, next) => {
    response.locals.context.user = user;
    next();
  };
  const guard = (access: string) => [record(`guard: ${access}`), findUser];
  const take = (limit: string) => ({ take: async (key: string) => void checks.push(`${limit}: ${key}`) });
  const server = await serveExpress((app, logger) => {
    const mount = createMount({
      guards: {
        public: guard('public'),
        session: guard('session'),
        user: guard('user'),
        onboarded: guard('onboarded'),
      },
      limiters: Object.fromEntries(Object.keys(limits).map((limit) => [limit, take(limit)])) as Record<
        LimitName,
        ReturnType<typeof take>
      >,
      bodies: {
        handlersFor: (bytes, { isDemo = false } = {}) => ({
          admit: record(`admit${isDemo ? ' to demo' : ''}: ${bytes}`),
          parseJson: record('parse'),
        }),
        usedBytes: 0,
      },
      maxBodyBytes,
      trustProxy,
      logger,
    });
    mount(app, name, [(_request, response) => void response.status(204).end()], { provider: 'google' });
  });
  const { method, path }: Route = routeTable[name];

  return {
    ...server,
    checks,
    send: (address = client) =>
      fetch(`${server.url}${path.replace('{provider}', 'google')}`, {
        method,
        headers: { 'X-Forwarded-For': address },
      }),
  };
}

describe('a mounted route', () => {
  for (const [name, { access, limit, noStore, ...row }] of Object.entries<Route>(routeTable)) {
    it(`runs the checks of its row in order (${name})`, async () => {
      await using server = await serve(name as RouteName);
      const { status, headers } = await server.send();
      expect([status, headers.get('cache-control')]).to.deep.equal([204, noStore ? 'no-store' : null]);
      // `MAX_BODY_BYTES` replaces the bound of live chat.
      const bound = name === 'liveChat' ? maxBodyBytes : row.maxBodyBytes;
      const admit = bound === undefined ? [] : [`admit${name === 'demoChat' ? ' to demo' : ''}: ${bound}`];
      const guard = [`guard: ${access}`];
      const isByUser = limit !== undefined && limits[limit].countedBy === 'user';
      const count = limit === undefined ? [] : [`${limit}: ${isByUser ? 'a-user' : client}`];
      const first = isByUser ? [guard, admit, count] : [admit, count, guard];
      expect(server.checks).to.deep.equal([...first.flat(), ...(bound === undefined ? [] : ['parse'])]);
    });
  }

  for (const [count, trustProxy, warnings] of [
    ['one warning', true, 1],
    ['no warning', false, 0],
  ] as const) {
    it(`logs ${count} if several clients have private addresses and trustProxy is ${trustProxy}`, async () => {
      await using server = await serve('signInStart', { trustProxy });
      for (const address of ['203.0.113.7', '2001:db8:1:1::1']) await server.send(address);
      expect(server.lines).to.deep.equal([]);
      for (const address of ['10.0.0.7', 'fd00::1']) await server.send(address);
      expect(server.lines).to.have.length(warnings);
      for (const { msg } of server.lines) expect(msg).to.include('a client has a private address');
    });
  }
});
