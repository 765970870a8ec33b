// npm test: all tests but those that need a browser or servers, and those of npm run test:processes, on every core.
// npm run test:services: those that need servers, and of npm test those that touch the database or Redis, on the servers that are named.
// npm run test:processes: those that start the product, its commands or a build as a process, on every core.
// With files: these alone, in one process.
import { globSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { compiled } from './support/compiled.ts';

const [node = '', , ...parameters] = process.argv;
const [kind, ...rest] = parameters;
const words = kind === '--processes' || kind === '--services' ? rest : parameters;
const namesFiles = words.some((word) => word.endsWith('.ts'));
const ofProcesses = 'test/**/*.process.test.ts';
const ofServers = 'test/**/*.services.test.ts';
const onDatabases = 'test/{conformance,server/{admin,auth,chat,database,limits,onboarding}}/**/*.test.ts';
const onNone = 'test/server/{limits/memory-*,auth/{exchange,routes,sessions,sign-in-attempts}*}.test.ts';
const without = (patterns: string, ...others: string[]) => globSync(patterns, { exclude: ['test/e2e/**', ...others] });
// First those that take longest: begun last, they would go on when all others have ended.
const files =
  kind === '--processes'
    ? ['test/{server,examples}/*.process.test.ts', ofProcesses].flatMap((some) => without(some))
    : kind === '--services'
      ? [
          ...['test/{deploy,examples,server/admin}/*.services.test.ts', ofServers].flatMap((some) => without(some)),
          ...without(onDatabases, ofProcesses, onNone),
        ]
      : ['test/server/database/*.test.ts', 'test/{conformance,docs}/*.test.ts', 'test/**/*.test.ts'].flatMap((some) =>
          without(some, ofServers, ofProcesses),
        );
// One more than there are cores, because each of them waits now and then; `--jobs` says another number.
const jobs = words.includes('--jobs') ? [] : ['--jobs', String(availableParallelism() + 1)];
const all = ['--parallel', ...jobs, ...new Set(files)];

enableCompileCache(compiled);
// In a new clone, each process of the run would otherwise make the database, in the time limit of its first test.
if (!namesFiles) await (await import('./support/migrated-cluster.ts')).migratedCluster();
// For the processes that run the files.
process.env.NODE_COMPILE_CACHE = compiled;
process.argv = [node, 'mocha', ...(namesFiles ? [] : all), ...words];
await import(import.meta.resolve('mocha/bin/mocha.js'));
