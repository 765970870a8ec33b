// npm test runs, on every core, the tests that need no browser, no servers and no processes.
// npm run test:services runs the tests that need servers, and `databaseTests` without `testsOfOtherParts`, on
// TEST_DATABASE_URL and TEST_REDIS_URL.
// npm run test:processes runs, on every core, the tests that start processes but need no servers.
// If files are given, only these run, in one process.
import { globSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { buildClientIfStale } from '../server/pages/client-build.ts';
import { compileCacheDirectory } from './support/compile-cache.ts';
import { root } from './support/served-process.ts';

const [node = '', , ...parameters] = process.argv;
const [kind, ...rest] = parameters;
const words = kind === '--processes' || kind === '--services' ? rest : parameters;
const namesFiles = words.some((word) => word.endsWith('.ts'));
const processTests = 'test/**/*.process.test.ts';
const servicesTests = 'test/**/*.services.test.ts';
const databaseTests =
  'test/{conformance/{conversations,stored-messages},server/{admin,auth,chat,database,limits,onboarding}/**/*}.test.ts';
/** Tests among `databaseTests` that would find nothing on a server that they do not find on the embedded database. */
const testsOfOtherParts = [
  'test/server/{admin/{command,engagement-changes},limits/memory-*,auth/{exchange,routes,sessions,sign-in}*}.test.ts',
  'test/server/chat/{late-writes,live-turn,reply-watch,request-bounds,stream-limit,token-use,turn-end}.test.ts',
  'test/server/database/schema/migrations.test.ts',
];
const find = (pattern: string, ...exclude: string[]) =>
  globSync(pattern, { exclude: ['test/{e2e,webkit}/**', ...exclude] });
// The slowest files first: started last, they would still run when all cores but one are idle.
const files =
  kind === '--processes'
    ? ['test/{client-package,examples,server/admin}/*.process.test.ts', processTests].flatMap((pattern) =>
        find(pattern),
      )
    : kind === '--services'
      ? [
          ...['test/{deploy,examples,server/admin}/*.services.test.ts', servicesTests].flatMap((pattern) =>
            find(pattern),
          ),
          ...find(databaseTests, processTests, ...testsOfOtherParts),
        ]
      : ['test/server/database/**/*.test.ts', 'test/{conformance,docs}/*.test.ts', 'test/**/*.test.ts'].flatMap(
          (pattern) => find(pattern, servicesTests, processTests),
        );
// One job more than there are cores, because a job is idle while it waits for I/O. `--jobs` overrides it.
const jobs = words.includes('--jobs') ? [] : ['--jobs', String(availableParallelism() + 1)];
const all = ['--parallel', ...jobs, ...new Set(files)];

enableCompileCache(compileCacheDirectory);
// Otherwise, in a new clone, every process would create the database within the timeout of its first test.
if (!namesFiles) await (await import('./support/migrated-cluster.ts')).loadMigratedCluster();
// Otherwise, in a new clone, the first server that a test starts would build the client within the timeout of the test.
if ((namesFiles ? words : files).some((file) => /\.(process|services)\.test\.ts$/.test(file))) {
  await buildClientIfStale(root);
}
// The worker processes inherit the variable.
process.env.NODE_COMPILE_CACHE = compileCacheDirectory;
process.argv = [node, 'mocha', ...(namesFiles ? [] : all), ...words];
await import(import.meta.resolve('mocha/bin/mocha.js'));
