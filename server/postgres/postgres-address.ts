import { z } from 'zod';

/** A name that starts with a slash is the directory of a Unix socket; an empty one is this machine. */
export type Host = { name: string; port: number };

export type PostgresAddress = {
  /** At least one host, in the order of connection attempts. */
  hosts: readonly Host[];
  user: string;
  password: string;
  database: string;
  parameters: ConnectionParameters;
};

export type ConnectionParameters = z.infer<typeof parametersSchema>;

/** Messages never include a value, because it could be the password. */
export class PostgresAddressError extends Error {
  override readonly name = 'PostgresAddressError';
  /** Each problem continues a sentence that starts with the name of the variable: `must be …`. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join(', '));
    this.problems = problems;
  }
}

const filePathSchema = (name: string) => z.string().min(1, `must set ${name} to the path of a file`).optional();
const wordSchema = <const Words extends readonly [string, ...string[]]>(name: string, words: Words) =>
  z.enum(words, `must set ${name} to ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`);

/** The supported parameters of libpq, with libpq's names and semantics. */
const parametersSchema = z.strictObject({
  sslmode: wordSchema('sslmode', ['disable', 'require', 'verify-ca', 'verify-full']).optional(),
  sslrootcert: filePathSchema('sslrootcert'),
  sslcert: filePathSchema('sslcert'),
  sslkey: filePathSchema('sslkey'),
  application_name: z.string().optional(),
  connect_timeout: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, 'must set connect_timeout to a whole number of seconds from 1 to 9999')
    .transform(Number)
    .optional(),
  options: z.string().optional(),
  target_session_attrs: wordSchema('target_session_attrs', [
    'any',
    'read-write',
    'read-only',
    'primary',
    'standby',
    'prefer-standby',
  ]).default('any'),
});

// An @ after a slash would belong to a password with a slash, whose first part would be taken for the host.
const addressPattern = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(\/[^?#@]*)?(?:\?([^#]*))?$/i;
const malformedAddressError = new PostgresAddressError([
  'must be a postgresql:// address, with special characters of a password percent-encoded',
]);

/**
 * Parses a libpq connection URI, `postgresql://user:password@one:5432,other:5432/database?sslmode=require`. `URL`
 * cannot parse several hosts, so they are split off first.
 * @throws PostgresAddressError with the problems
 */
export function readPostgresAddress(text: string): PostgresAddress {
  const [, login, servers = '', path = '', query = ''] = addressPattern.exec(text) ?? [];
  if (login === undefined) throw malformedAddressError;
  try {
    const url = new URL(`${login}host${path}`);
    const user = decodeURIComponent(url.username);
    return {
      hosts: servers.split(',').map(readHost),
      user,
      password: decodeURIComponent(url.password),
      database: decodeURIComponent(url.pathname.slice(1)) || user || 'postgres',
      parameters: readParameters(query),
    };
  } catch (error) {
    throw error instanceof PostgresAddressError ? error : malformedAddressError;
  }
}

function readHost(text: string, _index: number, { length }: readonly string[]): Host {
  if (text === '' && length > 1) throw malformedAddressError;
  const { hostname, port } = new URL(`postgresql://${text}`);
  const name = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1');
  return { name, port: port === '' ? 5432 : Number(port) };
}

/** `URLSearchParams` would decode a plus sign as a space. As in libpq, the last of repeated parameters wins. */
function readParameters(query: string): ConnectionParameters {
  const pairs = query.split('&').filter((pair) => pair !== '');
  const parameters = Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [decodeURIComponent(name), decodeURIComponent(value.join('='))];
    }),
  );
  const { data, error } = parametersSchema.safeParse(parameters);
  if (error !== undefined) {
    // A query that includes "@" can be part of a password that contains a question mark.
    const isKeyPrintable = !query.includes('@');
    throw new PostgresAddressError(error.issues.flatMap((issue) => problemsOf(issue, isKeyPrintable)));
  }
  const contradictory = contradictions(data);
  if (contradictory.length > 0) throw new PostgresAddressError(contradictory);
  return data;
}

function problemsOf(issue: z.core.$ZodIssue, isKeyPrintable: boolean): string[] {
  if (issue.code !== 'unrecognized_keys') return [issue.message];
  return issue.keys.map((key) =>
    isKeyPrintable && /^\w{1,63}$/.test(key) ? `has an unsupported parameter, ${key}` : 'has an unsupported parameter',
  );
}

/** Returns a problem for each combination that would be meaningless or less secure than it appears. */
function contradictions({ sslmode, sslrootcert, sslcert, sslkey }: ConnectionParameters): string[] {
  const problems: [boolean, string][] = [
    [
      sslmode === undefined && (sslrootcert ?? sslcert ?? sslkey) !== undefined,
      'must set sslmode if it names TLS certificates',
    ],
    [(sslcert === undefined) !== (sslkey === undefined), 'must set both sslcert and sslkey, or neither'],
    [sslmode === 'verify-ca' && sslrootcert === undefined, 'must set sslrootcert if sslmode is verify-ca'],
    [
      // Anyone can get a certificate from a public authority.
      sslrootcert === 'system' && (sslmode === 'require' || sslmode === 'verify-ca'),
      'must set sslmode to verify-full if sslrootcert is system',
    ],
  ];
  return problems.filter(([applies]) => applies).map(([, problem]) => problem);
}
