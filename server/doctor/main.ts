import process from 'node:process';
import { type Config, ConfigError, loadConfig } from '../config/config.ts';
import { withoutSecrets } from '../config/secrets.ts';
import { createLogger } from '../http/logger.ts';
import { checkDatabase } from './check-database.ts';
import { checkProvider } from './check-provider.ts';
import { checkPublicUrl } from './check-public-url.ts';
import { checkRedis } from './check-redis.ts';
import { type Finding, findingsOn, formatFinding } from './finding.ts';

const configuration = findingsOn('Configuration');
const logger = createLogger({ level: 'silent' });

const config = readConfig();
if (config !== undefined) {
  report([configuration.ok(`It is complete, for ${config.production ? 'production' : 'development'}.`)]);
  for (const check of [checkDatabase, checkRedis, checkProvider, checkPublicUrl]) {
    report(await check(config, logger), (line) => withoutSecrets(line, config));
  }
}

function readConfig(): Config | undefined {
  try {
    return loadConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    report(error.complaints.map(configuration.failed));
    report([configuration.skipped('The other checks wait until it is corrected.')]);
    return undefined;
  }
}

function report(findings: readonly Finding[], printable = (line: string) => line): void {
  for (const finding of findings) process.stdout.write(`${printable(formatFinding(finding))}\n`);
  if (findings.some(({ outcome }) => outcome === 'FAILED')) process.exitCode = 1;
}
