import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';

/**
 * An error as it may be logged: names, messages, codes and stacks down the chain of causes, and nothing else that hangs
 * on it: database errors carry the query's parameters, parser errors the body that they could not read.
 */
export function loggableError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, message, stack, cause } = error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { type: name, message, code, stack, ...(cause !== undefined && { cause: loggableError(cause) }) };
}

/** JSON lines, on `destination` or standard output. */
export function createLogger(options: Pick<LoggerOptions, 'level'>, destination?: DestinationStream): Logger {
  const settings: LoggerOptions = { ...options, base: null, serializers: { err: loggableError } };
  return destination ? pino(settings, destination) : pino(settings);
}
