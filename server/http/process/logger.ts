import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { loggableError } from './loggable-error.ts';

/** Which process of which release a line is from: each line has both. */
export type Identity = { instance: string; version: string };

type Options = Pick<LoggerOptions, 'level'> & { identity?: Identity };

/** JSON lines, on `destination` or standard output. Errors are logged as `err`, and each line has a sentence of ours. */
export function createLogger({ identity, ...options }: Options, destination?: DestinationStream): Logger {
  const settings: LoggerOptions = {
    ...options,
    base: identity ?? null,
    serializers: { err: loggableError },
    hooks: {
      // Where a line has no sentence, pino takes the message of its error.
      logMethod([subject, sentence, ...others], method) {
        const missing = sentence === undefined && typeof subject !== 'string';
        method.apply(this, [subject, missing ? 'an error' : sentence, ...others]);
      },
    },
  };
  return destination ? pino(settings, destination) : pino(settings);
}
