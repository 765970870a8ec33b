import { fileURLToPath, pathToFileURL } from 'node:url';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { AppError, HttpError } from '../app-error.ts';

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

/** How much may wait for a reader of the log that has stalled. */
const maxWaitingBytes = 1_048_576;

/** What is needed of the standard output. Unlike other streams it stays usable after an error. */
type Output = {
  readonly writableLength: number;
  write(text: string, done: (error?: Error | null) => void): unknown;
  on(event: 'error', listener: () => void): unknown;
};

/**
 * Writes log lines to `stream`, and nothing waits for them. A line that cannot be written is dropped and counted, and so is
 * one that comes while too much waits. Once there is room again, `onRoom` gets the count.
 */
export function createLogOutput(stream: Output, onRoom: (dropped: number) => void) {
  let dropped = 0;
  let told = 0;
  // The callback of each line has the error too. Without a listener the event would end the process.
  stream.on('error', () => undefined);

  return {
    /** How many lines were dropped since the process began. */
    get dropped(): number {
      return dropped;
    },

    write(line: string): void {
      if (stream.writableLength > maxWaitingBytes) {
        dropped += 1;
        return;
      }
      // A full disk may have taken half of the line before.
      stream.write(dropped > told ? `\n${line}` : line, (error) => {
        if (error) dropped += 1;
        else if (dropped > told && stream.writableLength === 0) {
          told = dropped;
          onRoom(dropped);
        }
      });
    },
  };
}

/** What the log says of an error. Each field of a foreign error is there only in a form that is known to be harmless. */
type LoggedError = {
  /** Its class, or what it is where it is no error. */
  type: string;
  /** Of our own errors alone. */
  message?: string;
  code?: string | undefined;
  status?: number | undefined;
  /** Of the model provider's errors: its own `type`, and its id of the request. */
  providerType?: string | undefined;
  providerRequestId?: string | undefined;
  /** Of PostgreSQL's; `code` is the SQLSTATE. */
  constraint?: string | undefined;
  /** Where in the project it was made, and who called. */
  stack?: string;
  cause?: LoggedError;
  errors?: LoggedError[];
};

/** Of one log line: the error, what caused it and what it gathers, together. */
const maxErrors = 4;
const maxMessageLength = 256;

/**
 * An error as it may be logged. The words of others are left out, because they quote: a provider's error the prompt and
 * the key, a database's the row and the statement, a parser's the body. Ours are kept: they are literal sentences.
 * It is at most about 6 KB long, whatever it is given, and never throws.
 */
export function loggableError(error: unknown): LoggedError {
  const seen = new Set<unknown>();

  function describe(thrown: unknown): LoggedError {
    seen.add(thrown);
    if (!(thrown instanceof Error)) return { type: typeof thrown };
    const frames = framesOf(thrown);
    const places = frames.map(placeOf).filter((place) => place !== undefined);
    const gathered = thrown instanceof AggregateError ? thrown.errors.slice(0, maxErrors) : [];
    const [cause, ...errors] = [thrown.cause, ...gathered].map(next);
    return {
      type: typeOf(thrown),
      ...(isOurs(thrown, frames) && { message: thrown.message.slice(0, maxMessageLength) }),
      ...factsOf(thrown),
      ...(places.length > 0 && { stack: places.map((place) => `at ${place}`).join('\n') }),
      ...(cause && { cause }),
      ...(errors.length > 0 && { errors: errors.filter((each) => each !== undefined) }),
    };
  }

  function next(thrown: unknown): LoggedError | undefined {
    return thrown === undefined || seen.has(thrown) || seen.size >= maxErrors ? undefined : described(thrown);
  }

  function described(thrown: unknown): LoggedError {
    try {
      return describe(thrown);
    } catch {
      // A property of it throws.
      return { type: 'unreadable' };
    }
  }

  return described(error);
}

function typeOf(error: Error): string {
  const form = /^(?:[A-Z]\w{0,50})?(?:[Ee]rror|Exception)$/;
  return [error.name, error.constructor.name].find((name) => typeof name === 'string' && form.test(name)) ?? 'Error';
}

/** V8 throws errors of other classes than `Error` itself in our code, and quotes in them. */
function isOurs(error: Error, [innermost = '']: readonly string[]): boolean {
  if (error instanceof AppError || error instanceof HttpError) return true;
  return Object.getPrototypeOf(error) === Error.prototype && /^(?:server|shared)\//.test(placeOf(innermost) ?? '');
}

function factsOf(error: Error): Partial<LoggedError> {
  const fact = (property: string, form: RegExp) => {
    const value: unknown = Reflect.get(error, property);
    return typeof value === 'string' ? form.exec(value)?.[0] : undefined;
  };
  const { status } = 'status' in error ? error : { status: undefined };
  return {
    // A refusal of Redis has its code as its first word.
    code:
      error.name === 'ReplyError' ? fact('message', /^[A-Z]{2,16}(?= )/) : fact('code', /^[A-Z0-9][A-Z0-9_]{1,63}$/),
    status: typeof status === 'number' ? status : undefined,
    constraint: fact('constraint', /^[A-Za-z_]\w{0,62}$/),
    providerRequestId: fact('requestID', /^[\w-]{1,128}$/),
    providerType: 'requestID' in error ? fact('type', /^[a-z]{1,20}(?:_[a-z]{1,20}){0,4}$/) : undefined,
  };
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const rootUrl = pathToFileURL(root).href;

/** V8 writes no more of them. */
const maxFrames = 10;

/**
 * The frames that V8 wrote. A stack begins with the message, and a message can have lines that look like frames: only
 * what stands directly below the whole message counts. The ORM adds such lines of another error at the end.
 */
function framesOf({ stack, message }: Error): string[] {
  if (typeof stack !== 'string' || typeof message !== 'string') return [];
  const begin = message === '' ? stack.indexOf('\n') : stack.indexOf(message);
  // What V8 writes before the message: `TypeError [ERR_INVALID_URL]: `. Else the message was changed since.
  if (begin === -1 || !/^[\w$]{0,64}(?: \[\w{1,64}\])?(?:: )?$/.test(stack.slice(0, begin))) return [];
  const [rest, ...lines] = stack.slice(begin + message.length).split('\n', maxFrames + 1);
  if (rest !== '') return [];
  const end = lines.findIndex((line) => !line.startsWith('    at '));
  return end === -1 ? lines : lines.slice(0, end);
}

/** `server/chat/live-route.ts:31:9`, from the project's root; undefined elsewhere. Functions are not named. */
function placeOf(frame: string): string | undefined {
  const start = [rootUrl, root].find((each) => frame.includes(each));
  if (start === undefined) return undefined;
  return /^[\w@%+./-]{1,120}:\d+:\d+(?=\)?$)/.exec(frame.slice(frame.indexOf(start) + start.length))?.[0];
}

/** A name that somebody else gave to something, or null where it does not look like one: a sentence, say. */
export function nameOrNull(text: string | null): string | null {
  return text !== null && /^[\w.:@/+-]{1,128}$/.test(text) ? text : null;
}

/** A text that was sent, as it may stand in a log line: its first `max` characters, without controls of a terminal. */
export function boundedText(text: string, max: number): string {
  // JSON escapes those below U+0020, and no others.
  return text.slice(0, max).replace(/[\u007f-\u009f]/g, '\ufffd');
}
