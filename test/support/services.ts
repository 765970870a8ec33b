import process from 'node:process';

/** The servers that `npm run test:services` runs the suite against; undefined means the embedded parts. */
export const testDatabaseUrl = process.env.TEST_DATABASE_URL;
export const testRedisUrl = process.env.TEST_REDIS_URL;
