import { pino } from 'pino';
import { checkRedis } from '../../server/doctor/checks.ts';
import type { RedisAddress } from '../../server/redis/redis-address.ts';
import type { RedisClient } from '../../server/redis/redis-client.ts';
import { eventually } from '../support/eventually.ts';
import { sessionSecret } from '../support/people.ts';
import { createScriptedProvider } from '../support/scripted-provider.ts';
import { serveInProcess } from '../support/served-process.ts';
import { required, testDatabaseUrl } from '../support/services.ts';
import { type AppOptions, createTestApp, question, type TestApp } from '../support/test-app.ts';
import { createTestDatabase, databaseOn } from '../support/test-database.ts';

/** The start of the log message, which continues with the cause. */
export const unavailableMessage = 'Redis unavailable (';
export const availableMessage = 'Redis available again; limits are shared';

export async function createInstances(count: number, connect: () => Promise<RedisClient>, options: AppOptions) {
  await using opened = new AsyncDisposableStack();
  const storage = opened.use(await createTestDatabase());
  const redis: RedisClient[] = [];
  const apps: TestApp[] = [];
  for (let created = 0; created < count; created += 1) {
    const connection = opened.adopt(await connect(), (connection) => connection.disconnect());
    redis.push(connection);
    apps.push(
      opened.adopt(await createTestApp({ shared: { storage }, redis: connection, ...options }), ({ close }) => close()),
    );
  }
  const parts = opened.move();
  return { apps: apps as [TestApp, TestApp], redis, close: () => parts.disposeAsync() };
}

export const askDemo = (app: TestApp, address: string) => app.demo(question(), { 'X-Forwarded-For': address });

export async function sendInSequence(count: number, send: () => Promise<Response>): Promise<number[]> {
  const received: number[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const response = await send();
    await response.text();
    received.push(response.status);
  }
  return received;
}

export const redisMessages = ({ lines }: TestApp) =>
  lines
    .map(({ msg }) => (String(msg).startsWith(unavailableMessage) ? unavailableMessage : msg))
    .filter((msg) => msg === unavailableMessage || msg === availableMessage);

/** Resolves when the instances have reconnected to Redis. They probe it without any requests. */
export const untilReconnected = (apps: readonly TestApp[]) =>
  eventually(() => apps.every((app) => redisMessages(app).includes(availableMessage)) || undefined);

/** Returns what doctor reports. On a busy machine, a command can exceed the client's timeout of 250 ms. */
export const findingOf = (redis: RedisAddress) =>
  eventually(async () => {
    const [finding] = await checkRedis({ redis }, pino({ level: 'silent' }));
    return finding?.text.includes('timed out') ? undefined : `${finding?.outcome}: ${finding?.text}`;
  });

/** Spawns the server and reads the state of Redis from its status endpoint. */
export async function spawnServer(variables: Record<string, string>) {
  await using opened = new AsyncDisposableStack();
  const storage = opened.use(await createTestDatabase());
  const [row] = await storage.rows('select current_database() as name');
  const provider = opened.adopt(await createScriptedProvider(), ({ close }) => close());
  const served = serveInProcess({
    DATABASE_URL: databaseOn(required(testDatabaseUrl), String(row?.name)),
    SESSION_SECRET: sessionSecret,
    ANTHROPIC_BASE_URL: provider.url,
    METRICS_PORT: '0',
    ...variables,
  });
  opened.defer(async () => {
    served.kill('SIGKILL');
    await served.exited;
  });
  const url = await served.url;
  const { metricsUrl } = JSON.parse(await served.printed(/"metricsUrl"/));
  const parts = opened.move();
  return {
    url,
    output: served.output,
    async status(): Promise<[number, string]> {
      const response = await fetch(new URL('/status', metricsUrl));
      return [response.status, (await response.json()).parts.redis.state];
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
