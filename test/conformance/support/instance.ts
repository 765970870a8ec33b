import { afterEach } from 'mocha';
import { createTestApp, type TestApp } from '../../support/test-app.ts';

const running: TestApp[] = [];

/** An instance of the application for the length of one test, however the test ends. */
export async function createInstance(options: Parameters<typeof createTestApp>[0]): Promise<TestApp> {
  const app = await createTestApp(options);
  running.push(app);
  return app;
}

afterEach(async () => {
  for (const app of running.splice(0)) await app.close();
});
