import process from 'node:process';

/** The servers that `npm run test:services` runs the suite against; undefined means the embedded parts. */
export const testDatabaseUrl = process.env.TEST_DATABASE_URL;
export const testRedisUrl = process.env.TEST_REDIS_URL;

/** For tests that are about a real server: they fail, rather than pass by doing nothing, where there is none. */
export function required(url: string | undefined): string {
  if (url === undefined) throw new Error('This needs TEST_DATABASE_URL and TEST_REDIS_URL: run it with test:services.');
  return url;
}
