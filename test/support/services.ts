import process from 'node:process';

/** The servers on which `npm run test:services` runs the tests. Undefined in `npm test`, which uses the embedded ones. */
export const testDatabaseUrl = process.env.TEST_DATABASE_URL;
export const testRedisUrl = process.env.TEST_REDIS_URL;

/** Fails a test that needs a real server if there is none, rather than let it pass without testing anything. */
export function required(url: string | undefined): string {
  if (url === undefined) throw new Error('This needs TEST_DATABASE_URL and TEST_REDIS_URL: run it with test:services.');
  return url;
}
