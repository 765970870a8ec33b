import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { ConfigError, databaseVariables, loadConfig } from '../../../server/config/config.ts';
import { environmentSchema, secretNames, settings } from '../../../server/config/environment.ts';
import { bodyShareBytes } from '../../../shared/body-limits.ts';
import { perSuite } from '../../support/per-suite.ts';
import { temporaryDirectory } from '../../support/served-process.ts';

const production = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://chat.example.com',
  DATABASE_URL: 'postgresql://db/chat',
  REDIS_URL: 'rediss://redis',
  SESSION_SECRET: 's'.repeat(32),
  ANTHROPIC_API_KEY: 'key',
  MICROSOFT_CLIENT_ID: 'id',
  MICROSOFT_CLIENT_SECRET: 'secret',
  TRUST_PROXY: 'true',
};

/** Values that are tried for each variable. Some are valid for it, and others are not. */
const anyValues = ['7', 'true', 'false', 'http://localhost', 'x'.repeat(32), 'silent', 'two words'];

function problemsOf(variables: Record<string, string>): readonly string[] {
  try {
    loadConfig(variables);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

/** Returns a value of which a secret is `/from-a-file-of-at-least-32-characters`, decoded. */
function secretFor(name: string): string {
  if (name.startsWith('REDIS_')) return 'redis://:%2Ffrom-a-file-of-at-least-32-characters@one';
  if (name.endsWith('_PROXY')) return 'http://:%2Ffrom-a-file-of-at-least-32-characters@one';
  return 'postgresql://db/from-a-file-of-at-least-32-characters';
}

describe('loadConfig', () => {
  for (const { name, default: byDefault, example = 'x', production: rule } of settings) {
    const read = (value: string) => environmentSchema.shape[name].safeParse(value);
    const valid = [...anyValues, example].find((value) => read(value).success && read(value).data !== byDefault);
    const invalid = anyValues.findLast((value) => !read(value).success);

    it(`takes ${name} into account`, () => {
      const others = name === 'METRICS_HOST' ? { METRICS_PORT: '9464' } : {};
      const outcome = (variables: Record<string, string>) => problemsOf(variables)[0] ?? loadConfig(variables);
      expect(outcome({ ...others, [name]: valid ?? '' }), `effect of ${name}`).not.to.deep.equal(outcome(others));
    });

    if (invalid !== undefined) {
      it(`reports an invalid ${name} together with other problems`, () => {
        const listed = problemsOf({ [name]: invalid, REDIS_CLUSTER: invalid, RETAIN_DAYS: invalid });
        expect(listed.length).to.be.above(1);
        expect(listed.join('\n'), invalid).to.match(new RegExp(`^${name} (must|has) `, 'm'));
      });
    }

    if (rule === undefined) continue;

    it(`${'forbidden' in rule ? 'rejects' : 'requires'} ${name} in production`, () => {
      const [variables, problem] =
        'forbidden' in rule
          ? [{ [name]: valid ?? '' }, `${name} ${rule.forbidden}: it is not allowed in production.`]
          : [{ [name]: '' }, `${name} is required in production: ${rule.required}.`];
      expect(problemsOf({ ...production, ...variables })).to.deep.equal([problem]);
    });
  }

  it('requires no variable outside production, and ignores an empty one', () => {
    expect(loadConfig({ DATABASE_URL: '', PORT: '', GOOGLE_CLIENT_ID: '' })).to.deep.equal(loadConfig({}));
  });

  it('accepts Sentinels or a cluster instead of one Redis, in production too', () => {
    const sentinel = { REDIS_URL: '', REDIS_SENTINELS: 'one:26380,[2001:db8::7]', REDIS_SENTINEL_NAME: 'advisory' };
    expect(loadConfig({ ...production, ...sentinel }).redis).to.deep.include({ kind: 'sentinel', name: 'advisory' });
    const cluster = { REDIS_URL: '', REDIS_CLUSTER: 'one:7000,other' };
    expect(loadConfig({ ...production, ...cluster }).redis).to.have.property('kind', 'cluster');
  });

  const queryOrFragment = ['https://host/api?key=canary', 'https://host/api#part', 'https://host/?'];
  for (const [name, problem, values] of [
    [
      'REDIS_CLUSTER',
      'must be a list of addresses such as one:6379,other:6379, with special characters of a password percent-encoded.',
      ['one:port', 'hunter2:@:x', 'svc:p@ss#w@host'],
    ],
    [
      'REDIS_URL',
      'must be a redis:// or rediss:// address such as redis://user:password@host:6379, with special characters of a password percent-encoded.',
      [
        ...['redis://svc:p@ss#w@host', 'redis://svc:p@ss@host', 'redis://svc:12/3@host', 'redis://svc:12?x@host'],
        ...['redis://one,two', 'redis://one?db=2', 'one:6379'],
      ],
    ],
    [
      'PUBLIC_URL',
      'must be an origin such as https://chat.example.com, without a path, query, fragment or credentials.',
      ['/chat', '?tenant=1', '#top', '/?', '//']
        .map((rest) => `https://host${rest}`)
        .concat('https://user:canary@host'),
    ],
    ['ANTHROPIC_BASE_URL', 'must have no query and no fragment.', queryOrFragment],
    ['GOOGLE_BASE_URL', 'must have no query and no fragment.', queryOrFragment],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'must have no query and no fragment.', queryOrFragment],
    ['ANTHROPIC_BASE_URL', 'must have no credentials.', ['https://user:canary@host/api']],
    ['GOOGLE_BASE_URL', 'must have no credentials.', ['https://user:canary@host/api']],
    ['TLS_CERT_FILE', 'is not supported: a proxy in front must terminate TLS.', ['cert.pem']],
    ['TLS_KEY_FILE', 'is not supported: a proxy in front must terminate TLS.', ['cert.pem']],
    // If an unknown value fell back to development, a mistyped `production` would start the embedded parts.
    ['NODE_ENV', 'must be development, test or production.', ['prod']],
    [
      'ANTHROPIC_API_KEY',
      'must contain only printable ASCII characters and no spaces.',
      ['two\nlines', 'sk–dash', 'two words'],
    ],
    ['MICROSOFT_TENANT', "must be one directory's id or domain.", ['common', 'organizations', 'consumers', 'a b']],
  ] as const) {
    for (const value of values) {
      it(`rejects ${name}=${JSON.stringify(value)}`, () =>
        expect(problemsOf({ [name]: value })).to.deep.equal([`${name} ${problem}`]));
    }
  }

  it('rejects variables that belong together or exclude each other', () => {
    const pair = 'REDIS_SENTINELS and REDIS_SENTINEL_NAME must be set together: set both or neither.';
    const [sentinels, name] = [{ REDIS_SENTINELS: 'one' }, { REDIS_SENTINEL_NAME: 'advisory' }];
    expect([problemsOf(sentinels), problemsOf(name)]).to.deep.equal([[pair], [pair]]);
    for (const [variable, variables] of [
      ['REDIS_URL', { REDIS_URL: 'redis://one' }],
      ['REDIS_SENTINELS', { ...sentinels, ...name }],
    ] as const) {
      expect(problemsOf({ ...variables, REDIS_CLUSTER: 'one' })).to.deep.equal([
        `${variable} and REDIS_CLUSTER are mutually exclusive: set only one of them.`,
      ]);
    }
  });

  it('reads PUBLIC_URL as the origin that a browser makes of it', () => {
    expect(loadConfig({ PUBLIC_URL: 'HTTPS://Chat.Example.com:443/' }).publicUrl).to.equal('https://chat.example.com');
  });

  for (const [variables, problem] of [
    [{ TRUST_PROXY: 'false' }, /^TRUST_PROXY must be true in production\.$/],
    [{ PUBLIC_URL: 'http://chat.example.com' }, /^PUBLIC_URL must be an https/],
    [{ MICROSOFT_CLIENT_ID: '', MICROSOFT_CLIENT_SECRET: '' }, /^At least one sign-in provider/],
    [{ SESSION_SECRET: `${'s'.repeat(32)},short` }, /^SESSION_SECRET must have at least 32 characters/],
  ] as const) {
    it(`rejects production with ${JSON.stringify(variables)}`, () => {
      expect(problemsOf({ ...production, ...variables })).to.have.length(1);
      expect(problemsOf({ ...production, ...variables })[0]).to.match(problem);
    });
  }

  it('trims the line break of a key from a file', () => {
    expect(loadConfig({ ANTHROPIC_API_KEY: 'sk-key\n' }).model.apiKey).to.equal('sk-key');
  });

  it('preserves the order of rotated secrets', () => {
    const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];
    expect(loadConfig({ SESSION_SECRET: `${first}, ${second}` }).sessionSecrets).to.deep.equal([first, second]);
  });

  it('admits only invited users in production by default', () => {
    expect(loadConfig(production).signUp.mode).to.equal('invited');
    expect(loadConfig({ ...production, SIGN_UP: 'open' }).signUp.mode).to.equal('open');
    const { domains } = loadConfig({ SIGN_UP_DOMAINS: 'Example.com, example.org' }).signUp;
    expect(domains).to.deep.equal(['example.com', 'example.org']);
  });

  it('uses DATABASE_URL for migrations unless DATABASE_MIGRATION_URL is set', () => {
    const [serving, owner] = ['postgresql://serving@db/chat', 'postgresql://owner@db/chat'];
    expect(loadConfig({ DATABASE_URL: serving }).databaseMigrationUrl).to.equal(serving);
    expect(loadConfig({ DATABASE_URL: serving, DATABASE_MIGRATION_URL: owner }).databaseMigrationUrl).to.equal(owner);
    expect(problemsOf({ DATABASE_MIGRATION_URL: owner })).to.have.length(1);
  });

  it('reports each invalid or unsupported part of a database address together with every other problem', () => {
    const address = 'postgresql://user:canary@one,two:5433/chat?sslmode=prefer&channel_binding=require';
    const variables = { DATABASE_URL: address, DATABASE_MIGRATION_URL: 'mysql://db', DATABASE_POOL: '0' };
    expect(problemsOf(variables)).to.deep.equal([
      'DATABASE_URL must set sslmode to disable, require, verify-ca or verify-full.',
      'DATABASE_URL has an unsupported parameter, channel_binding.',
      'DATABASE_MIGRATION_URL must be a postgresql:// address, with special characters of a password percent-encoded.',
      'DATABASE_POOL must be a whole number of connections, at least 1.',
    ]);
  });

  it('refuses a body limit above the share of memory of one user', () => {
    expect(problemsOf({ MAX_BODY_BYTES: String(bodyShareBytes) })).to.deep.equal([]);
    expect(problemsOf({ MAX_BODY_BYTES: String(bodyShareBytes + 1) })).to.deep.equal([
      'MAX_BODY_BYTES must be a whole number of bytes, from 1 to 16777216.',
    ]);
  });

  it('reads each token budget from its own variable', () => {
    const variables = { TOKENS_PER_DAY_USER: '1', TOKENS_PER_DAY_ORGANIZATION: '2', TOKENS_PER_DAY_DEMO: '3' };
    expect(loadConfig(variables).tokensPerDay).to.deep.equal({ user: 1, organization: 2, demo: 3 });
  });

  describe('with a secret in a file', () => {
    let file: string;

    const directory = perSuite(() => temporaryDirectory());
    before(() => {
      file = join(directory.path, 'secret');
      writeFileSync(file, `${'f'.repeat(32)}\n`);
    });

    it('ignores the byte order mark and the line break that editors write', () => {
      for (const name of secretNames) {
        const address = join(directory.path, name);
        const value = secretFor(name);
        writeFileSync(address, `\ufeff${value}\r\n`);
        const others = {
          ...(name === 'DATABASE_MIGRATION_URL' && { DATABASE_URL: 'postgresql://db/chat' }),
          ...(name === 'REDIS_SENTINELS' && { REDIS_SENTINEL_NAME: 'advisory' }),
        };
        const pair = name.endsWith('_CLIENT_SECRET') ? { [name.replace('SECRET', 'ID')]: 'id' } : {};
        const config = loadConfig({ ...others, ...pair, [`${name}_FILE`]: address });
        expect(JSON.stringify(config), name).to.include('/from-a-file-of-at-least-32-characters"');
      }
      expect(loadConfig({ SESSION_SECRET_FILE: file }).sessionSecrets).to.deep.equal(['f'.repeat(32)]);
    });

    it('satisfies the production rule for that secret', () => {
      expect(problemsOf({ ...production, SESSION_SECRET: '', SESSION_SECRET_FILE: file })).to.deep.equal([]);
    });

    it('rejects a file that is not UTF-8', () => {
      const latin1 = join(directory.path, 'latin-1');
      writeFileSync(latin1, 'ü'.repeat(32), 'latin1');
      expect(problemsOf({ SESSION_SECRET_FILE: latin1 })).to.deep.equal([
        'SESSION_SECRET_FILE names a file that is not UTF-8 text.',
      ]);
    });

    it('rejects an unreadable file and a secret that is set twice, without printing the secret', () => {
      expect(problemsOf({ SESSION_SECRET_FILE: join(directory.path, 'missing') })).to.deep.equal([
        'SESSION_SECRET_FILE names a file that cannot be read (ENOENT).',
      ]);
      expect(problemsOf({ SESSION_SECRET_FILE: file, SESSION_SECRET: 's'.repeat(32) })).to.deep.equal([
        'SESSION_SECRET and SESSION_SECRET_FILE are mutually exclusive: set only one of them.',
      ]);
    });
  });

  it('accepts a compatible model server without a key, and a sign-in emulator without a client id', () => {
    expect(problemsOf({ ...production, ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: 'http://model' })).to.deep.equal([]);
    expect(loadConfig({ GITHUB_BASE_URL: 'http://127.0.0.1:4001/' }).providers).to.deep.equal({
      github: { clientId: 'advisory-chat', clientSecret: 'emulated', baseUrl: 'http://127.0.0.1:4001' },
    });
  });

  it('reads only the variables that a program uses, and in production requires only the variables that the program needs', () => {
    const used = { required: databaseVariables.required, optional: ['PUBLIC_URL', 'TOKENS_PER_DAY_USER'] } as const;
    const environment = { NODE_ENV: 'production', DATABASE_URL: 'postgresql://localhost/advice', MAX_STREAMS: 'many' };
    expect(loadConfig({ ...environment, TOKENS_PER_DAY_USER: '2000' }, used)).to.deep.include({
      databaseUrl: environment.DATABASE_URL,
      databaseMigrationUrl: environment.DATABASE_URL,
      publicUrl: undefined,
      tokensPerDay: { user: 2000, organization: undefined, demo: undefined },
    });
    expect(() => loadConfig({ ...environment, DATABASE_URL: '' }, used)).to.throw(
      ConfigError,
      /^DATABASE_URL is required in production: a PostgreSQL server\.$/,
    );
    expect(() => loadConfig({ ...environment, TOKENS_PER_DAY_USER: 'few' }, used)).to.throw(ConfigError);
  });
});
