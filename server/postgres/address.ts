import { z } from 'zod';

/** One server of an address. A name that begins with a slash is the directory of a Unix socket; '' is this machine. */
export type Host = { name: string; port: number };

export type PostgresAddress = {
  /** At least one, in the order in which they are tried. */
  hosts: readonly Host[];
  user: string;
  password: string;
  database: string;
  parameters: Parameters;
};

export type Parameters = z.infer<typeof parametersSchema>;

/** What is wrong with an address. No complaint repeats a value: it could be the password. */
export class PostgresAddressError extends Error {
  override readonly name = 'PostgresAddressError';
  /** Each goes on from the name of a variable: `must be …`. */
  readonly complaints: readonly string[];

  constructor(complaints: readonly string[]) {
    super(complaints.join(', '));
    this.complaints = complaints;
  }
}

const file = (name: string) => z.string().min(1, `must name a file in ${name}`).optional();
const oneOf = <const Words extends readonly [string, ...string[]]>(name: string, words: Words) =>
  z.enum(words, `must have ${words.slice(0, -1).join(', ')} or ${words.at(-1)} as its ${name}`);

/** The parameters of libpq that count here, with libpq's names and meaning. */
const parametersSchema = z.strictObject({
  sslmode: oneOf('sslmode', ['disable', 'require', 'verify-ca', 'verify-full']).optional(),
  sslrootcert: file('sslrootcert'),
  sslcert: file('sslcert'),
  sslkey: file('sslkey'),
  application_name: z.string().optional(),
  connect_timeout: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, 'must have a whole number of seconds, from 1 to 9999, as its connect_timeout')
    .transform(Number)
    .optional(),
  options: z.string().optional(),
  target_session_attrs: oneOf('target_session_attrs', [
    'any',
    'read-write',
    'read-only',
    'primary',
    'standby',
    'prefer-standby',
  ]).default('any'),
});

const form = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/i;
const malformed = new PostgresAddressError(['must be a postgresql:// address']);

/**
 * Reads an address in libpq's form, `postgresql://user:password@one:5432,other:5432/database?sslmode=require`, which may
 * name several servers. Only they keep `URL` from reading it.
 * @throws PostgresAddressError with every complaint
 */
export function readPostgresAddress(text: string): PostgresAddress {
  const [, login, servers = '', path = '', query = ''] = form.exec(text) ?? [];
  if (login === undefined) throw malformed;
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
    throw error instanceof PostgresAddressError ? error : malformed;
  }
}

function readHost(text: string, _index: number, { length }: readonly string[]): Host {
  if (text === '' && length > 1) throw malformed;
  const { hostname, port } = new URL(`postgresql://${text}`);
  const name = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1');
  return { name, port: port === '' ? 5432 : Number(port) };
}

/** Not by `URLSearchParams`, which takes a plus for a space. As for libpq, the last of two counts. */
function readParameters(query: string): Parameters {
  const pairs = query.split('&').filter((pair) => pair !== '');
  const given = Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [decodeURIComponent(name), decodeURIComponent(value.join('='))];
    }),
  );
  const { data, error } = parametersSchema.safeParse(given);
  if (error !== undefined) {
    // With an "@" it may be half of a password that has a question mark in it.
    const nameable = !query.includes('@');
    throw new PostgresAddressError(error.issues.flatMap((issue) => complaintsOf(issue, nameable)));
  }
  const contradictory = contradictions(data);
  if (contradictory.length > 0) throw new PostgresAddressError(contradictory);
  return data;
}

function complaintsOf(issue: z.core.$ZodIssue, nameable: boolean): string[] {
  if (issue.code !== 'unrecognized_keys') return [issue.message];
  return issue.keys.map((key) =>
    nameable && /^\w{1,63}$/.test(key)
      ? `has the parameter ${key}, which is not supported`
      : 'has a parameter that is not supported',
  );
}

/** What does not go together; some of it would be less safe than it looks. */
function contradictions({ sslmode, sslrootcert, sslcert, sslkey }: Parameters): string[] {
  const complaints: [boolean, string][] = [
    [
      sslmode === undefined && (sslrootcert ?? sslcert ?? sslkey) !== undefined,
      'has certificates for TLS, which need an sslmode',
    ],
    [(sslcert === undefined) !== (sslkey === undefined), 'has one of sslcert and sslkey, which go together'],
    [
      sslmode === 'verify-ca' && sslrootcert === undefined,
      'has the sslmode verify-ca, which needs the authority in sslrootcert',
    ],
    [
      // Anybody can have a certificate from one of the public authorities.
      sslrootcert === 'system' && (sslmode === 'require' || sslmode === 'verify-ca'),
      'has the sslrootcert system, which needs the sslmode verify-full',
    ],
  ];
  return complaints.filter(([applies]) => applies).map(([, complaint]) => complaint);
}
