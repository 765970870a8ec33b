import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { DestinationStream } from 'pino';
import { z } from 'zod';
import { banner } from './banner.ts';
import { type Config, ConfigError, loadConfig } from './config/config.ts';
import { createLogOutput } from './http/process/log-output.ts';
import { createLogger, type Identity } from './http/process/logger.ts';
import type { RequestIds } from './http/requests/request-id.ts';
import { type Running, start } from './start.ts';
import { stoppable } from './stoppable.ts';
import { terminalIsGone } from './terminal.ts';

/** npm passes a Ctrl-C on that the terminal has sent to this process as well: an echo is no second wish. */
const echoMilliseconds = 500;

const config = readConfig();
const root = fileURLToPath(new URL('..', import.meta.url));
const identity: Identity = { instance: `${hostname()}/${process.pid}`, version: readVersion() };
const output = createLogOutput(process.stdout, (droppedLines) =>
  logger.warn({ droppedLines }, 'the log can be written again; lines have been dropped since the process began'),
);
const logger = createLogger({ level: config.logLevel, identity }, (await prettyOnTerminal(config)) ?? output);
const development = process.argv.includes('--dev');
const running = await stoppable(
  start({ config, logger, root, identity, development, droppedLogLines: () => output.dropped }),
).catch(refuse);

followSignals(running);
if (running.metricsUrl !== undefined) logger.info({ metricsUrl: running.metricsUrl }, 'metrics are served');
if (config.production) logger.info({ url: running.publicUrl }, 'listening');
else process.stdout.write(`${banner(config, running.publicUrl)}\n`);

function readConfig(): Config {
  try {
    return loadConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`The configuration has to be corrected before this can start:\n`);
    for (const complaint of error.complaints) process.stderr.write(`  - ${complaint}\n`);
    process.exit(1);
  }
}

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

async function prettyOnTerminal({ production }: Config): Promise<DestinationStream | undefined> {
  if (production || !process.stdout.isTTY) return undefined;
  const { default: pretty } = await import('pino-pretty');
  return pretty({ ignore: 'time,instance,version', sync: true });
}

function refuse(error: Error): never {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

/**
 * A signal lets replies finish and ends the process; a second one ends it at once. SIGHUP reloads, unless it says that the
 * terminal was closed. An error that nobody caught leaves the process in doubt, so it is logged, its request answered and
 * the process drained in the same way, and ends as a failure.
 */
function followSignals({ stop, reload, answerUncaught }: Running): void {
  let signalledAt: number | undefined;
  let stopping = false;
  let failed = false;

  function stopThenExit(atOnce: boolean): void {
    if (stopping) return;
    stopping = true;
    stop({ atOnce }).then(
      () => process.exit(failed ? 1 : 0),
      (error) => {
        logger.fatal({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  }

  function stopOn(signal: NodeJS.Signals): void {
    if (signalledAt === undefined) {
      signalledAt = performance.now();
      logger.info({ signal }, 'stopping: replies under way may finish');
      stopThenExit(false);
    } else if (performance.now() - signalledAt > echoMilliseconds) process.exit(1);
  }

  process.on('SIGINT', stopOn);
  process.on('SIGTERM', stopOn);
  process.on('SIGHUP', () => {
    if (terminalIsGone()) stopOn('SIGHUP');
    else void reload();
  });
  // It was closed during the start.
  if (terminalIsGone()) stopOn('SIGHUP');

  process.on('uncaughtException', (error, origin) => {
    failed = true;
    const ids = answered(error);
    logger.fatal({ ...ids, origin, err: error }, 'an error that nobody caught');
    stopThenExit(true);
  });

  function answered(error: unknown): RequestIds | undefined {
    try {
      return answerUncaught(error);
    } catch (cause) {
      // Thrown here it would end the process, and every other reply with it.
      logger.error({ err: cause }, 'the request in which it was cannot be answered');
      return undefined;
    }
  }
}
