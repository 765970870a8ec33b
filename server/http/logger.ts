import { fileURLToPath, pathToFileURL } from 'node:url';
import { format } from 'node:util';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { AppError, HttpError } from '../app-error.ts';

/** The fields that every log line has. */
export type ProcessLabels = { instance: string; version: string };

type Options = Pick<LoggerOptions, 'level'> & { processLabels?: ProcessLabels };

/** Errors must be logged as `err`. No line contains the message of a foreign error. */
export function createLogger({ processLabels, ...options }: Options, destination?: DestinationStream): Logger {
  const settings: LoggerOptions = {
    ...options,
    base: processLabels ?? null,
    serializers: { err: loggableError },
    hooks: {
      // Without a message, pino would use that of the error, which can quote private data.
      logMethod([subject, message, ...others], method) {
        const isMissing = message === undefined && typeof subject !== 'string';
        method.apply(this, [subject, isMissing ? 'error' : message, ...others]);
      },
    },
  };
  return destination ? pino(settings, destination) : pino(settings);
}

/** Redirects `console.warn` and `console.error`, which libraries call, to the log, so that every line is JSON. */
export function logConsole(logger: Logger): void {
  for (const level of ['warn', 'error'] as const) {
    console[level] = (...parts: unknown[]) =>
      logger[level]({ console: format(...parts) }, 'console output of a library');
  }
}

/** Limits memory while the reader of the log is stalled. */
const maxBufferedBytes = 1_048_576;

/** Standard output. Unlike other streams, it remains usable after an error. */
type Output = {
  readonly writableLength: number;
  write(text: string, done: (error?: Error | null) => void): unknown;
  on(event: 'error', listener: () => void): unknown;
};

/**
 * Writes log lines to `stream` without waiting. A line is dropped and counted if it cannot be written, or if too much
 * is buffered. Once the stream accepts lines again, `onRecovered` receives the count.
 */
export function createLogOutput(stream: Output, onRecovered: (dropped: number) => void) {
  let dropped = 0;
  let reported = 0;
  // Each line's callback receives the error too. An `error` event without a listener would end the process.
  stream.on('error', () => undefined);

  return {
    get dropped(): number {
      return dropped;
    },

    write(line: string): void {
      if (stream.writableLength > maxBufferedBytes) {
        dropped += 1;
        return;
      }
      // A full disk may have truncated the previous line.
      stream.write(dropped > reported ? `\n${line}` : line, (error) => {
        if (error) dropped += 1;
        else if (dropped > reported && stream.writableLength === 0) {
          reported = dropped;
          onRecovered(dropped);
        }
      });
    },
  };
}

/** A field of a foreign error is included only in a form that is known to be harmless. */
type LoggedError = {
  /** Its class, its `typeof` if it is not an `Error`, or `unreadable` if reading a property throws. */
  type: string;
  /** Set only for our own errors. */
  message?: string;
  code?: string | undefined;
  status?: number | undefined;
  /** The provider's `type` of the error. Set only for errors of the model provider. */
  providerType?: string | undefined;
  providerRequestId?: string | undefined;
  /** Set only for PostgreSQL errors, whose `code` is the SQLSTATE. */
  constraint?: string | undefined;
  /** The frames within the project. */
  stack?: string;
  cause?: LoggedError;
  errors?: LoggedError[];
};

/** Limit per log line, which includes causes and the members of an `AggregateError`. */
const maxErrors = 4;
const maxMessageLength = 256;

/**
 * Converts an error for the log. Messages of foreign errors are omitted, because they can quote private data: the prompt and the
 * API key, rows and statements, or the request body. The messages of our own errors must not contain such data and are included.
 * The result is at most about 6 KB long for any input, and this function never throws.
 */
export function loggableError(error: unknown): LoggedError {
  const seen = new Set<unknown>();

  function describeError(thrown: unknown): LoggedError {
    seen.add(thrown);
    if (!(thrown instanceof Error)) return { type: typeof thrown };
    const frames = framesOf(thrown);
    const locations = frames.map(projectLocation).filter((location) => location !== undefined);
    const members = thrown instanceof AggregateError ? thrown.errors.slice(0, maxErrors) : [];
    const [cause, ...errors] = [thrown.cause, ...members].map(describeRelated);
    return {
      type: errorTypeOf(thrown),
      ...(isProjectError(thrown, frames) && { message: thrown.message.slice(0, maxMessageLength) }),
      ...harmlessFields(thrown),
      ...(locations.length > 0 && { stack: locations.map((location) => `at ${location}`).join('\n') }),
      ...(cause && { cause }),
      ...(errors.length > 0 && { errors: errors.filter((each) => each !== undefined) }),
    };
  }

  function describeRelated(thrown: unknown): LoggedError | undefined {
    return thrown === undefined || seen.has(thrown) || seen.size >= maxErrors ? undefined : describeSafely(thrown);
  }

  function describeSafely(thrown: unknown): LoggedError {
    try {
      return describeError(thrown);
    } catch {
      // A property getter of the value throws.
      return { type: 'unreadable' };
    }
  }

  return describeSafely(error);
}

function errorTypeOf(error: Error): string {
  const pattern = /^(?:[A-Z]\w{0,50})?(?:[Ee]rror|Exception)$/;
  return [error.name, error.constructor.name].find((name) => typeof name === 'string' && pattern.test(name)) ?? 'Error';
}

/** V8 also throws from our code, but only subclasses of `Error`, whose messages quote values. Plain errors are our own. */
function isProjectError(error: Error, [innermost = '']: readonly string[]): boolean {
  if (error instanceof AppError || error instanceof HttpError) return true;
  return (
    Object.getPrototypeOf(error) === Error.prototype && /^(?:server|shared)\//.test(projectLocation(innermost) ?? '')
  );
}

function harmlessFields(error: Error): Partial<LoggedError> {
  const matchField = (property: string, pattern: RegExp) => {
    const value: unknown = Reflect.get(error, property);
    return typeof value === 'string' ? pattern.exec(value)?.[0] : undefined;
  };
  const { status } = 'status' in error ? error : { status: undefined };
  return {
    // A Redis error reply starts with its code.
    code:
      error.name === 'ReplyError'
        ? matchField('message', /^[A-Z]{2,16}(?= )/)
        : matchField('code', /^[A-Z0-9][A-Z0-9_]{1,63}$/),
    status: typeof status === 'number' ? status : undefined,
    constraint: matchField('constraint', /^[A-Za-z_]\w{0,62}$/),
    providerRequestId: matchField('requestID', /^[\w-]{1,128}$/),
    providerType: 'requestID' in error ? matchField('type', /^[a-z]{1,20}(?:_[a-z]{1,20}){0,4}$/) : undefined,
  };
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const rootUrl = pathToFileURL(root).href;

/** V8's default `Error.stackTraceLimit`. */
const maxFrames = 10;

/**
 * Returns the frames that V8 wrote. A message can contain lines that look like frames, so only the lines directly below the
 * complete message count. Lines after them are ignored, because the ORM appends the stack of another error.
 */
function framesOf({ stack, message }: Error): string[] {
  if (typeof stack !== 'string' || typeof message !== 'string') return [];
  const messageStart = message === '' ? stack.indexOf('\n') : stack.indexOf(message);
  // V8 writes class and code before the message: `TypeError [ERR_INVALID_URL]: `. Anything else means that the message
  // has been changed since.
  if (messageStart === -1 || !/^[\w$]{0,64}(?: \[\w{1,64}\])?(?:: )?$/.test(stack.slice(0, messageStart))) return [];
  const [rest, ...lines] = stack.slice(messageStart + message.length).split('\n', maxFrames + 1);
  if (rest !== '') return [];
  const end = lines.findIndex((line) => !line.startsWith('    at '));
  return end === -1 ? lines : lines.slice(0, end);
}

/** Returns a location such as `server/chat/live-turn.ts:31:9`, without the function name, or undefined outside the project. */
function projectLocation(frame: string): string | undefined {
  const start = [rootUrl, root].find((each) => frame.includes(each));
  if (start === undefined) return undefined;
  return /^[\w@%+./-]{1,120}:\d+:\d+(?=\)?$)/.exec(frame.slice(frame.indexOf(start) + start.length))?.[0];
}

/** Returns null unless `text` looks like a name or an id: third parties choose it, and no sentence may reach the log. */
export function nameOrNull(text: string | null): string | null {
  return text !== null && /^[\w.:@/+-]{1,128}$/.test(text) ? text : null;
}

/** Returns the first `max` characters of text from a client for a log line, in which no terminal control character remains. */
export function boundedText(text: string, max: number): string {
  // JSON escapes only the controls below U+0020.
  return text.slice(0, max).replace(/[\u007f-\u009f]/g, '\ufffd');
}
