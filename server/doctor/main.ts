import process from 'node:process';
import type { Logger } from 'pino';
import { type Config, ConfigError, loadConfig } from '../config/config.ts';
import { withoutSecrets } from '../config/secrets.ts';
import { createLogger } from '../http/logger.ts';
import { readOptions } from '../process/options.ts';
import { OutputClosedError, print } from '../process/standard-output.ts';
import { checkCertificate, checkPublicUrl } from './check-public-url.ts';
import {
  type CheckResult,
  checkBudgets,
  checkDatabase,
  checkModel,
  checkProxies,
  checkRedis,
  checkSignIn,
  defaultInstances,
  formatResult,
  resultsFor,
} from './checks.ts';

const options = readOptions({ instances: { type: 'string' } });
const configurationResult = resultsFor('Configuration');
const logger = createLogger({ level: 'silent' });

try {
  const settings = await readSettings();
  if (settings !== undefined) await runChecks(settings);
} catch (error) {
  if (!(error instanceof OutputClosedError)) throw error;
}

type Settings = { config: Config; instances: number };

async function runChecks({ config, instances }: Settings): Promise<void> {
  await report([configurationResult.ok(`Complete for ${config.production ? 'production' : 'development'}.`)]);
  const checks = [
    (...parameters: [Config, Logger]) => checkDatabase(...parameters, instances),
    checkRedis,
    checkModel,
    checkSignIn,
    checkBudgets,
    checkProxies,
    checkCertificate,
    checkPublicUrl,
  ];
  for (const check of checks) {
    await report(await check(config, logger), (line) => withoutSecrets(line, config));
  }
  // Prevents success if this runs without the service's environment variables.
  if (config.databaseUrl === undefined && config.publicUrl === undefined) {
    await report([
      configurationResult.failed(
        'Neither DATABASE_URL nor PUBLIC_URL is set. Run this with the environment variables of the service.',
      ),
    ]);
  }
}

function readInstances(): number {
  const instances = Number(options.instances ?? defaultInstances);
  if (!Number.isInteger(instances) || instances < 1) {
    throw new ConfigError(['--instances must be a positive whole number.']);
  }
  return instances;
}

async function readSettings(): Promise<Settings | undefined> {
  try {
    return { instances: readInstances(), config: loadConfig(process.env) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    await report(error.problems.map(configurationResult.failed));
    await report([configurationResult.skipped('Fix the configuration to run the other checks.')]);
    return undefined;
  }
}

async function report(results: readonly CheckResult[], redact = (line: string) => line): Promise<void> {
  if (results.some(({ outcome }) => outcome === 'FAILED')) process.exitCode = 1;
  for (const result of results) await print(`${redact(formatResult(result))}\n`);
}
