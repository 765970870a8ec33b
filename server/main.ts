import { hostname } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { DestinationStream } from 'pino';
import { type Config, ConfigError, loadConfig } from './config/config.ts';
import { createLogger, createLogOutput, logConsole, type ProcessLabels } from './http/logger.ts';
import { readOptions } from './process/options.ts';
import { printableText } from './process/printable.ts';
import { onStopSignal } from './process/stop-signals.ts';
import { type RunningService, start } from './start.ts';
import { banner } from './startup/configured-parts.ts';
import { version } from './version.ts';

/** After Ctrl-C both the terminal and npm send the signal. The second one within this time is an echo. */
const signalEchoMilliseconds = 500;

const { dev: development = false } = readOptions({ dev: { type: 'boolean' } });
const config = readConfig();
const root = fileURLToPath(new URL('..', import.meta.url));
const processLabels: ProcessLabels = { instance: `${hostname()}/${process.pid}`, version };
const output = createLogOutput(process.stdout, (droppedLines) =>
  logger.warn({ droppedLines }, 'log output restored; droppedLines is the total since startup'),
);
const logger = createLogger({ level: config.logLevel, processLabels }, (await createTerminalOutput(config)) ?? output);
if (config.production) logConsole(logger);
const running = await start({
  config,
  logger,
  root,
  processLabels,
  development,
  droppedLogLines: () => output.dropped,
}).catch(exitWithError);

handleSignals(running);
if (running.metricsUrl !== undefined) logger.info({ metricsUrl: running.metricsUrl }, 'serving metrics and status');
if (config.production) logger.info({ url: running.publicUrl }, 'listening');
else process.stdout.write(`${banner(config, running.publicUrl)}\n`);

function readConfig(): Config {
  try {
    return loadConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`The configuration is invalid:\n`);
    for (const problem of error.problems) process.stderr.write(`  - ${printableText(problem)}\n`);
    process.exit(1);
  }
}

async function createTerminalOutput({ production }: Config): Promise<DestinationStream | undefined> {
  if (production || !process.stdout.isTTY) return undefined;
  const { default: pretty } = await import('pino-pretty');
  return pretty({ ignore: 'time,instance,version', sync: true });
}

function exitWithError(error: Error): never {
  process.stderr.write(`${printableText(error.message)}\n`);
  process.exit(1);
}

/**
 * The first signal lets replies finish and ends the process. A later one exits immediately, unless it is an echo. After an uncaught
 * exception the state of the process is unknown: it logs the exception, refuses requests, lets replies finish and exits
 * with 1.
 */
function handleSignals({ stop }: RunningService): void {
  let signalledAt: number | undefined;
  let stopping = false;
  let failed = false;

  function stopThenExit(atOnce: boolean): void {
    if (stopping) return;
    stopping = true;
    stop({ atOnce }).then(
      () => process.exit(failed ? 1 : 0),
      (error) => {
        logger.fatal({ err: error }, 'shutdown failed');
        process.exit(1);
      },
    );
  }

  function stopOn(signal: NodeJS.Signals): void {
    if (signalledAt === undefined) {
      signalledAt = performance.now();
      logger.info({ signal }, 'stopping; waiting for replies in progress');
      stopThenExit(false);
    } else if (performance.now() - signalledAt > signalEchoMilliseconds) process.exit(1);
  }

  onStopSignal(stopOn);

  process.on('uncaughtException', (error, origin) => {
    failed = true;
    logger.fatal({ origin, err: error }, 'uncaught exception');
    stopThenExit(true);
  });
}
