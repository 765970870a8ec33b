import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { loadConfig } from '../../server/config/config.ts';
import { start } from '../../server/start.ts';
import { eventually } from '../support/eventually.ts';
import { perTest } from '../support/per-suite.ts';
import { root } from '../support/served-process.ts';
import { required, testDatabaseUrl, testRedisUrl } from '../support/services.ts';
import { createTestDatabase, databaseOn } from '../support/test-database.ts';
import { ask, newcomer } from './database/scenes.ts';

describe('the running service', () => {
  let retainedId: string;

  const storage = perTest(() => createTestDatabase());
  beforeEach(async () => {
    const avery = await newcomer(storage, 'Avery');
    const { conversationId } = await ask(storage, avery);
    await storage.rows(`update conversations set created_at = now() - interval '31 days' where id = ?`, [
      conversationId,
    ]);
    await storage.rows(`update chat_messages set created_at = now() - interval '31 days'`);
    retainedId = (await ask(storage, avery)).conversationId;
  });

  /** Starts the service with the production settings and advances the clock by a minute. */
  async function serveForAMinute(variables: Record<string, string>) {
    const [row] = await storage.rows('select current_database() as name');
    const config = loadConfig({
      NODE_ENV: 'production',
      PORT: '0',
      PUBLIC_URL: 'https://localhost',
      TRUST_PROXY: 'true',
      DATABASE_URL: databaseOn(required(testDatabaseUrl), String(row?.name)),
      REDIS_URL: required(testRedisUrl),
      SESSION_SECRET: 'production wants at least thirty-two characters',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
      GITHUB_CLIENT_ID: 'id',
      GITHUB_CLIENT_SECRET: 'secret',
      ...variables,
    });
    const clock = install({ toFake: ['setTimeout', 'clearTimeout'], shouldClearNativeTimers: true });
    try {
      const processLabels = { instance: 'test', version: '0.0.0' };
      const running = await start({
        config,
        logger: pino({ level: 'silent' }),
        root,
        processLabels,
        development: false,
        droppedLogLines: () => 0,
      });
      await clock.tickAsync(60_000);
      return running;
    } finally {
      clock.uninstall();
    }
  }

  const remaining = () => storage.rows('select id from conversations');

  it('deletes old conversations if RETAIN_DAYS is set', async () => {
    const running = await serveForAMinute({ RETAIN_DAYS: '30' });
    await eventually(async () => ((await remaining()).length === 1 ? true : undefined));
    expect(await remaining()).to.deep.equal([{ id: retainedId }]);
    await running.stop({ atOnce: true });
  });

  it('deletes nothing if RETAIN_DAYS is not set', async () => {
    const running = await serveForAMinute({});
    await running.stop({ atOnce: true });
    expect(await remaining()).to.have.length(2);
  });
});
