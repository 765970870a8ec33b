import { AppError } from '../../app-error.ts';
import { HttpError } from '../requests/http-error.ts';
import { isMadeHere, placesOf } from './stack-frames.ts';

/** What the log says of an error. Each field of a foreign error is there only in the form that is known to be harmless. */
export type LoggedError = {
  /** Its class, or what it is where it is no error. */
  type: string;
  message?: string;
  code?: string | undefined;
  status?: number | undefined;
  /** Of the model provider's errors: its own `type`, and its id of the request. */
  providerType?: string | undefined;
  providerRequestId?: string | undefined;
  /** Of PostgreSQL's; `code` is the SQLSTATE. */
  constraint?: string | undefined;
  table?: string | undefined;
  routine?: string | undefined;
  /** Of failed system calls. */
  syscall?: string | undefined;
  hostname?: string | undefined;
  address?: string | undefined;
  port?: number | undefined;
  /** Of what does not have the expected shape: where in it. */
  paths?: string[];
  /** Where it was made, and who called. */
  stack?: string;
  cause?: LoggedError;
  errors?: LoggedError[];
};

/** Of one log line: the error, what caused it and what it gathers, together. */
const mostErrors = 4;
const mostPaths = 5;
const longestMessage = 256;

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
    const places = placesOf(thrown);
    const cause = next(thrown.cause);
    const errors =
      thrown instanceof AggregateError ? thrown.errors.slice(0, mostErrors).map(next).filter(isDefined) : [];
    return {
      type: nameOf(thrown),
      ...(isHarmless(thrown) && { message: thrown.message.slice(0, longestMessage) }),
      ...factsOf(thrown),
      ...(places.length > 0 && { stack: places.map((place) => `at ${place}`).join('\n') }),
      ...(cause && { cause }),
      ...(errors.length > 0 && { errors }),
    };
  }

  function next(thrown: unknown): LoggedError | undefined {
    return thrown === undefined || seen.has(thrown) || seen.size >= mostErrors ? undefined : described(thrown);
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

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined;
}

/** Sentences of libraries that say what is wrong with a connection, and quote nothing. */
const knownSentences: ReadonlySet<string> = new Set([
  // pg and its pool
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error and is not queryable',
  'The server does not support SSL connections',
  'Cannot use a pool after calling end on the pool',
  // PGlite
  'PGlite is closed',
  // ioredis
  'Connection is closed.',
  'Command timed out',
  "Stream isn't writeable and enableOfflineQueue options is false",
]);

/** V8 throws errors of other classes than `Error` itself in our code, and quotes in them. */
function isHarmless(error: Error): boolean {
  if (error instanceof AppError || error instanceof HttpError || knownSentences.has(error.message)) return true;
  return Object.getPrototypeOf(error) === Error.prototype && isMadeHere(error);
}

function nameOf(error: Error): string {
  return (
    [error.name, error.constructor.name].find((name) => matches(name, /^(?:[A-Z]\w{0,50})?(?:[Ee]rror|Exception)$/)) ??
    'Error'
  );
}

type Kind = {
  /** What only errors of this kind have. */
  has: string;
  /** What is logged: the property that it comes from, and the form that it must have. */
  facts: Partial<Record<keyof LoggedError, readonly [property: string, form: RegExp]>>;
};

const word = /^[A-Za-z_]\w{0,62}$/;
const key = /^[A-Za-z]{1,32}$/;

const kinds: readonly Kind[] = [
  {
    // the provider's SDK
    has: 'requestID',
    facts: {
      status: ['status', /^[1-5]\d\d$/],
      providerType: ['type', /^[a-z]{1,20}(?:_[a-z]{1,20}){0,4}$/],
      providerRequestId: ['requestID', /^[\w-]{1,128}$/],
    },
  },
  {
    // PostgreSQL, and the ORM, which copies the driver's error
    has: 'severity',
    facts: {
      code: ['code', /^[0-9A-Z]{5}$/],
      constraint: ['constraint', word],
      table: ['table', word],
      routine: ['routine', word],
    },
  },
  {
    // Node's system calls
    has: 'syscall',
    facts: {
      code: ['code', /^E[A-Z0-9_]{1,32}$/],
      syscall: ['syscall', /^[a-z]{1,32}$/],
      hostname: ['hostname', /^[\w.-]{1,253}$/],
      address: ['address', /^[\w.:%/-]{1,253}$/],
      port: ['port', /^\d{1,5}$/],
    },
  },
  {
    // Redis: its replies begin with a code, and `command` is what was asked, with the password where that is AUTH
    has: 'command',
    facts: {
      code: [
        'message',
        /^(?:ERR|WRONGPASS|NOAUTH|NOPERM|READONLY|LOADING|OOM|MISCONF|MASTERDOWN|CLUSTERDOWN|MOVED|CROSSSLOT|BUSY|NOREPLICAS)(?= )/,
      ],
    },
  },
];

/** What Node, undici and the HTTP parser name their own errors by. */
const anyOther: Kind['facts'] = { code: ['code', /^(?:ERR|UND_ERR|HPE|E[A-Z]{1,16})(?:_[A-Z0-9]{1,20}){0,6}$/] };

function factsOf(error: Error): Partial<LoggedError> {
  if (error instanceof AppError) return { code: error.code };
  if (error instanceof HttpError) return { status: error.status };
  const { facts } = kinds.find(({ has }) => has in error) ?? { facts: anyOther };
  const found = Object.entries(facts).map(([field, [property, form]]) => [
    field,
    inForm(Reflect.get(error, property), form),
  ]);
  return { ...Object.fromEntries(found), ...('issues' in error && { paths: pathsOf(error.issues) }) };
}

function inForm(value: unknown, form: RegExp): string | number | undefined {
  if (typeof value === 'number') return form.test(String(value)) ? value : undefined;
  return typeof value === 'string' ? form.exec(value)?.[0] : undefined;
}

/** zod's: where each thing is that does not fit, without the thing. */
function pathsOf(issues: unknown): string[] {
  if (!Array.isArray(issues)) return [];
  return issues.slice(0, mostPaths).map(({ path }) => path.slice(0, 8).map(step).join('.'));
}

function step(name: unknown): string {
  return typeof name === 'number' || matches(name, key) ? String(name) : '?';
}

function matches(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}
