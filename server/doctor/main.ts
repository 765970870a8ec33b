import process from 'node:process';
import { parseArgs } from 'node:util';
import type { Logger } from 'pino';
import { type Config, ConfigError, loadConfig } from '../config/config.ts';
import { withoutSecrets } from '../config/secrets.ts';
import { createLogger } from '../http/logger.ts';
import { print, ReaderGoneError } from '../standard-output.ts';
import { checkCertificates, checkPublicUrl } from './check-public-url.ts';
import {
  checkDatabase,
  checkProvider,
  checkRedis,
  checkSignIn,
  type Finding,
  findingsOn,
  formatFinding,
  usualInstances,
} from './checks.ts';

const configuration = findingsOn('Configuration');
const logger = createLogger({ level: 'silent' });

try {
  const config = await readConfig();
  if (config !== undefined) await examine(config);
} catch (error) {
  if (!(error instanceof ReaderGoneError)) throw error;
}

async function examine(config: Config): Promise<void> {
  await report([configuration.ok(`It is complete, for ${config.production ? 'production' : 'development'}.`)]);
  const checks = [
    (...parameters: [Config, Logger]) => checkDatabase(...parameters, readInstances()),
    checkRedis,
    checkProvider,
    checkSignIn,
    checkCertificates,
    checkPublicUrl,
  ];
  for (const check of checks) {
    await report(await check(config, logger), (line) => withoutSecrets(line, config));
  }
  // Green must not mean that this was another environment than the service's.
  if (config.databaseUrl === undefined && config.publicUrl === undefined) {
    await report([
      configuration.failed(
        'Nothing that matters was checked: neither DATABASE_URL nor PUBLIC_URL is set. Run this with the variables of the service.',
      ),
    ]);
  }
}

/** `--instances N`: how many processes an update replaces. */
function readInstances(): number {
  const { values } = parseArgs({ options: { instances: { type: 'string' } }, strict: false });
  const instances = Number(values.instances ?? usualInstances);
  if (!Number.isInteger(instances) || instances < 1) throw new Error('--instances needs a number.');
  return instances;
}

async function readConfig(): Promise<Config | undefined> {
  try {
    return loadConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    await report(error.complaints.map(configuration.failed));
    await report([configuration.skipped('The other checks wait until it is corrected.')]);
    return undefined;
  }
}

async function report(findings: readonly Finding[], printable = (line: string) => line): Promise<void> {
  if (findings.some(({ outcome }) => outcome === 'FAILED')) process.exitCode = 1;
  for (const finding of findings) await print(`${printable(formatFinding(finding))}\n`);
}
