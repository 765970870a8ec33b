import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createBodyReader } from '../../../server/http/json-body.ts';
import { createMount } from '../../../server/http/route-checks.ts';
import { type LimitName, limits, type Route, type RouteName, routeTable } from '../../../shared/route-table.ts';
import { serveExpress } from '../../support/serve-express.ts';

const client = '203.0.113.7';
/** More than the bound of any route. */
const maxBodyBytes = 2 * 1024 * 1024;

/** Serves the route `name`, which responds with 204, and records requests by limit and key. Its user has the id `a-user`. */
async function serve(name: RouteName, { trustProxy = true } = {}) {
  const counted: [string, string][] = [];
  const bounds: unknown[] = [];
  const bodies = createBodyReader();
  const upTo: typeof bodies.upTo = (bytes, options) => {
    bounds.push([bytes, options?.isDemo]);
    return bodies.upTo(bytes, options);
  };
  const take = (limit: string) => ({ take: async (key: string) => void counted.push([limit, key]) });
  const user = { id: 'a-user', name: 'Avery', email: null, onboarded: true, organization: { id: 'o', name: 'Own' } };
  const server = await serveExpress((app, logger) => {
    app.use((_request, response, next) => {
      response.locals.context.user = user;
      next();
    });
    const mount = createMount({
      guards: { public: [], session: [], user: [], onboarded: [] },
      limiters: Object.fromEntries(Object.keys(limits).map((limit) => [limit, take(limit)])) as Record<
        LimitName,
        ReturnType<typeof take>
      >,
      bodies: { ...bodies, upTo },
      maxBodyBytes,
      trustProxy,
      logger,
    });
    mount(app, name, [(_request, response) => void response.status(204).end()], { provider: 'google' });
  });
  const { method, path }: Route = routeTable[name];

  return {
    ...server,
    counted,
    bounds,
    async send(address = client): Promise<number> {
      const response = await fetch(`${server.url}${path.replace('{provider}', 'google')}`, {
        method,
        headers: { 'X-Forwarded-For': address, 'Content-Type': 'application/json' },
        ...(method === 'POST' && { body: '{}' }),
      });
      return response.status;
    },
  };
}

describe('a mounted route', () => {
  for (const [name, row] of Object.entries<Route>(routeTable)) {
    const { limit } = row;
    it(`${limit === undefined ? 'counts no request' : `counts a request against ${limit}`} and bounds its body (${name})`, async () => {
      await using server = await serve(name as RouteName);
      expect(await server.send()).to.equal(204);
      const key = limit !== undefined && limits[limit].countedBy === 'user' ? 'a-user' : client;
      expect(server.counted).to.deep.equal(limit === undefined ? [] : [[limit, key]]);
      // `MAX_BODY_BYTES` replaces the bound of live chat.
      const bound = name === 'liveChat' ? maxBodyBytes : row.maxBodyBytes;
      expect(server.bounds).to.deep.equal(bound === undefined ? [] : [[bound, name === 'demoChat']]);
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
