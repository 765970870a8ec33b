import type { RedisClient } from '../../server/redis/client.ts';
import { eventually } from '../support/eventually.ts';
import { createScriptedProvider } from '../support/scripted-provider.ts';
import { serveInProcess, temporaryDirectory } from '../support/served-process.ts';
import { type AppOptions, createTestApp, question, type TestApp } from '../support/test-app.ts';
import { createTestDatabase } from '../support/test-database.ts';

/** The beginning of the message; the cause follows. */
export const away = 'Redis unavailable (';
export const back = 'Redis available again; limits are shared';

/** So many instances of the application on one database, each with a connection of its own to a Redis. */
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

export const demo = (app: TestApp, address: string) => app.demo(question(), { 'X-Forwarded-For': address });

/** The statuses of `count` requests, one after the other. */
export async function statuses(count: number, send: () => Promise<Response>): Promise<number[]> {
  const found: number[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const response = await send();
    await response.text();
    found.push(response.status);
  }
  return found;
}

/** What an instance has said of Redis. */
export const messages = ({ lines }: TestApp) =>
  lines.map(({ msg }) => (String(msg).startsWith(away) ? away : msg)).filter((msg) => msg === away || msg === back);

/** Resolves when the instances have found Redis by themselves: no request is sent meanwhile. */
export const found = (apps: readonly TestApp[]) =>
  eventually(() => apps.every((app) => messages(app).includes(back)) || undefined);

/** The product in a process of its own, and the state that it says Redis is in. */
export async function serveWith(variables: Record<string, string>) {
  await using opened = new AsyncDisposableStack();
  const data = opened.adopt(await temporaryDirectory(), ({ remove }) => remove());
  const provider = opened.adopt(await createScriptedProvider(), ({ close }) => close());
  const served = serveInProcess({
    DATA_DIR: data.path,
    ANTHROPIC_BASE_URL: provider.url,
    METRICS_PORT: '0',
    ...variables,
  });
  opened.defer(async () => {
    served.kill('SIGKILL');
    await served.exited;
  });
  const url = await served.url;
  const metricsUrl = await eventually(() => /"metricsUrl":"([^"]+)"/.exec(served.output.join('\n'))?.[1]);
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
