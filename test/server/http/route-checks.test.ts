import { createServer } from 'node:http';
import { expect } from 'chai';
import express from 'express';
import { describe, it } from 'mocha';
import { errorHandler } from '../../../server/http/errors.ts';
import { createBodyReader } from '../../../server/http/json-body.ts';
import { createLogger } from '../../../server/http/logger.ts';
import { assignContext } from '../../../server/http/request-context.ts';
import { createMount } from '../../../server/http/route-checks.ts';
import { type LimitName, limits, type Route, type RouteName, routeTable } from '../../../shared/route-table.ts';
import { listen } from '../../support/loopback.ts';

const client = '203.0.113.7';

/** Serves the route `name`, which responds with 204, and counts requests by limit and key. Its user has the id `a-user`. */
async function serve(name: RouteName, { trustProxy = true } = {}) {
  const counted: [string, string][] = [];
  const levels: number[] = [];
  const take = (limit: string) => ({ take: async (key: string) => void counted.push([limit, key]) });
  const logger = createLogger({ level: 'info' }, { write: (line) => void levels.push(JSON.parse(line).level) });
  const app = express();
  app.use((request, response, next) => {
    const user = { id: 'a-user', name: 'Avery', email: null, onboarded: true, organization: { id: 'o', name: 'Own' } };
    assignContext(request, response, logger).locals.context.user = user;
    next();
  });
  const mount = createMount({
    guards: { public: [], session: [], user: [], onboarded: [] },
    limiters: Object.fromEntries(Object.keys(limits).map((limit) => [limit, take(limit)])) as Record<
      LimitName,
      ReturnType<typeof take>
    >,
    bodies: createBodyReader(),
    maxBodyBytes: 1024,
    trustProxy,
    logger,
  });
  mount(app, name, [(_request, response) => void response.status(204).end()], { provider: 'google' });
  app.use(errorHandler);
  const { port, close } = await listen(createServer(app));
  const { method, path }: Route = routeTable[name];

  return {
    counted,
    levels,
    [Symbol.asyncDispose]: close,
    async send(address = client): Promise<number> {
      const response = await fetch(`http://127.0.0.1:${port}${path.replace('{provider}', 'google')}`, {
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
    it(`${limit === undefined ? 'counts no request' : `counts a request against ${limit}`} (${name})`, async () => {
      await using server = await serve(name as RouteName);
      expect(await server.send()).to.equal(204);
      const key = limit !== undefined && limits[limit].countedBy === 'user' ? 'a-user' : client;
      expect(server.counted).to.deep.equal(limit === undefined ? [] : [[limit, key]]);
    });
  }

  for (const [count, trustProxy, warnings] of [
    ['one warning', true, [40]],
    ['no warning', false, []],
  ] as const) {
    it(`logs ${count} if several clients have private addresses and trustProxy is ${trustProxy}`, async () => {
      await using server = await serve('signInStart', { trustProxy });
      for (const address of ['203.0.113.7', '2001:db8:1:1::1']) await server.send(address);
      expect(server.levels).to.deep.equal([]);
      for (const address of ['10.0.0.7', 'fd00::1']) await server.send(address);
      expect(server.levels).to.deep.equal(warnings);
    });
  }
});
