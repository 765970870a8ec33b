import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { ConfigError, databaseUse, loadConfig } from '../../../server/config/config.ts';
import { environmentSchema, secretNames, settings } from '../../../server/config/environment.ts';
import { ofSuite } from '../../support/of-suite.ts';
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

/** For any variable, one of these is a valid value that is not its default; others are invalid. */
const anyValues = ['7', 'true', 'false', 'http://localhost', 'x'.repeat(32), 'silent', 'two words'];

function complaints(variables: Record<string, string>): readonly string[] {
  try {
    loadConfig(variables);
  } catch (error) {
    if (error instanceof ConfigError) return error.complaints;
    throw error;
  }
  return [];
}

describe('loadConfig', () => {
  it('needs nothing outside production', () => {
    expect(complaints({})).to.deep.equal([]);
  });

  for (const { name, default: byDefault, example = 'x', production: asked } of settings) {
    const read = (value: string) => environmentSchema.shape[name].safeParse(value);
    const taken = [...anyValues, example].find((value) => read(value).success && read(value).data !== byDefault);
    const wrong = anyValues.findLast((value) => !read(value).success);

    it(`changes with ${name}`, () => {
      const others = name === 'METRICS_HOST' ? { METRICS_PORT: '9464' } : {};
      const outcome = (variables: Record<string, string>) => complaints(variables)[0] ?? loadConfig(variables);
      expect(outcome({ ...others, [name]: taken ?? '' }), `what ${name} changes`).not.to.deep.equal(outcome(others));
    });

    if (wrong !== undefined) {
      it(`lists an invalid ${name} beside other complaints`, () => {
        const listed = complaints({ [name]: wrong, REDIS_CLUSTER: wrong, RETAIN_DAYS: wrong });
        expect(listed.length).to.be.above(1);
        expect(listed.join('\n'), wrong).to.match(new RegExp(`^${name} (must|has) `, 'm'));
      });
    }

    if (asked === undefined) continue;

    it(`requires or refuses ${name} in production as its row says`, () => {
      const [variables, complaint] =
        'refused' in asked
          ? [{ [name]: taken ?? '' }, `${name} ${asked.refused}: it is refused in production.`]
          : [{ [name]: '' }, `${name} is needed in production: ${asked.needed}.`];
      expect(complaints({ ...production, ...variables })).to.deep.equal([complaint]);
    });
  }

  it('ignores an empty variable', () => {
    expect(loadConfig({ DATABASE_URL: '', PORT: '', GOOGLE_CLIENT_ID: '' })).to.deep.equal(loadConfig({}));
  });

  it('accepts a whole production environment', () => {
    expect(loadConfig(production)).to.deep.include({
      production: true,
      sessionSecrets: ['s'.repeat(32)],
      providers: { microsoft: { clientId: 'id', clientSecret: 'secret' } },
    });
  });

  it('accepts Sentinels or a cluster instead of one Redis, in production too', () => {
    const sentinel = { REDIS_URL: '', REDIS_SENTINELS: 'one:26380,[2001:db8::7]', REDIS_SENTINEL_NAME: 'advisory' };
    expect(loadConfig({ ...production, ...sentinel }).redis).to.deep.include({ kind: 'sentinel', name: 'advisory' });
    const cluster = { REDIS_URL: '', REDIS_CLUSTER: 'one:7000,other' };
    expect(loadConfig({ ...production, ...cluster }).redis).to.have.property('kind', 'cluster');
  });

  for (const [variables, complaint] of [
    [{ REDIS_SENTINELS: 'one:26379' }, 'REDIS_SENTINELS and REDIS_SENTINEL_NAME go together: set both or neither.'],
    [{ REDIS_SENTINEL_NAME: 'advisory' }, 'REDIS_SENTINELS and REDIS_SENTINEL_NAME go together: set both or neither.'],
    [
      { REDIS_URL: 'redis://one', REDIS_CLUSTER: 'one:6379' },
      'REDIS_URL and REDIS_CLUSTER each say where Redis is: set one of them.',
    ],
    [
      { REDIS_SENTINELS: 'one', REDIS_SENTINEL_NAME: 'advisory', REDIS_CLUSTER: 'one' },
      'REDIS_SENTINELS and REDIS_CLUSTER each say where Redis is: set one of them.',
    ],
    [{ REDIS_CLUSTER: 'one:port' }, 'REDIS_CLUSTER must be a list of addresses such as one:6379,other:6379.'],
    [{ REDIS_CLUSTER: 'hunter2:@:x' }, 'REDIS_CLUSTER must be a list of addresses such as one:6379,other:6379.'],
    // It could be meant as production.
    [{ NODE_ENV: 'prod' }, 'NODE_ENV must be development, test or production.'],
    ...['two\nlines', 'sk–dash', 'two words'].map((key): [Record<string, string>, string] => [
      { ANTHROPIC_API_KEY: key },
      'ANTHROPIC_API_KEY must have printable ASCII characters only, and no spaces.',
    ]),
    ...['common', 'organizations', 'consumers', 'a b'].map((tenant): [Record<string, string>, string] => [
      { MICROSOFT_TENANT: tenant },
      "MICROSOFT_TENANT must be one directory's id or domain.",
    ]),
  ] as const) {
    it(`refuses ${JSON.stringify(variables)}`, () => {
      expect(complaints(variables)).to.deep.equal([complaint]);
    });
  }

  for (const [variables, complaint] of [
    [{ TRUST_PROXY: 'false' }, /^Production serves HTTPS only/],
    [{ PUBLIC_URL: 'http://chat.example.com' }, /^PUBLIC_URL must be an https/],
    [{ MICROSOFT_CLIENT_ID: '', MICROSOFT_CLIENT_SECRET: '' }, /^At least one sign-in provider/],
    [{ SESSION_SECRET: `${'s'.repeat(32)},short` }, /^SESSION_SECRET must have at least 32 characters/],
  ] as const) {
    it(`refuses production with ${JSON.stringify(variables)}`, () => {
      expect(complaints({ ...production, ...variables })).to.have.length(1);
      expect(complaints({ ...production, ...variables })[0]).to.match(complaint);
    });
  }

  it('trims the line end of a key from a file', () => {
    expect(loadConfig({ ANTHROPIC_API_KEY: 'sk-key\n' }).model.apiKey).to.equal('sk-key');
  });

  it('keeps the order of rotated secrets', () => {
    const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];
    expect(loadConfig({ SESSION_SECRET: `${first}, ${second}` }).sessionSecrets).to.deep.equal([first, second]);
  });

  it('admits only invited users in production by default', () => {
    expect(loadConfig(production).signUp.mode).to.equal('invited');
    expect(loadConfig({ ...production, SIGN_UP: 'open' }).signUp.mode).to.equal('open');
    expect(loadConfig({ SIGN_UP_DOMAINS: 'Example.com, example.org' }).signUp.domains).to.deep.equal([
      'example.com',
      'example.org',
    ]);
  });

  it('migrates with the login that serves, unless the owner has a login', () => {
    const [serving, owner] = ['postgresql://serving@db/chat', 'postgresql://owner@db/chat'];
    expect(loadConfig({ DATABASE_URL: serving }).databaseMigrationUrl).to.equal(serving);
    expect(loadConfig({ DATABASE_URL: serving, DATABASE_MIGRATION_URL: owner }).databaseMigrationUrl).to.equal(owner);
    expect(complaints({ DATABASE_MIGRATION_URL: owner })).to.have.length(1);
  });

  it('names each invalid or unsupported part of a database address, beside every other complaint', () => {
    const address = 'postgresql://user:canary@one,two:5433/chat?sslmode=prefer&channel_binding=require';
    expect(
      complaints({ DATABASE_URL: address, DATABASE_MIGRATION_URL: 'mysql://db', DATABASE_POOL: '0' }),
    ).to.deep.equal([
      'DATABASE_URL must set sslmode to disable, require, verify-ca or verify-full.',
      'DATABASE_URL has an unsupported parameter, channel_binding.',
      'DATABASE_MIGRATION_URL must be a postgresql:// address.',
      'DATABASE_POOL must be a whole number of connections, at least 1.',
    ]);
  });

  it('is the edge if it terminates TLS itself without a proxy in front', () => {
    const tls = { TLS_CERT_FILE: 'cert.pem', TLS_KEY_FILE: 'key.pem' };
    expect(loadConfig(tls).edge).to.equal(true);
    expect(loadConfig({ ...tls, TRUST_PROXY: 'true' }).edge).to.equal(false);
    expect(loadConfig(production).edge).to.equal(false);
  });

  it('reads each budget of tokens from its own variable', () => {
    const variables = { TOKENS_PER_DAY_USER: '1', TOKENS_PER_DAY_ORGANIZATION: '2', TOKENS_PER_DAY_DEMO: '3' };
    expect(loadConfig(variables).tokensPerDay).to.deep.equal({ user: 1, organization: 2, demo: 3 });
  });

  it('gives demo chat half of the slots by default', () => {
    expect(loadConfig({ MAX_STREAMS: '7' }).maxStreamsDemo).to.equal(4);
    expect(loadConfig({ MAX_STREAMS: '7', MAX_STREAMS_DEMO: '1' }).maxStreamsDemo).to.equal(1);
  });

  describe('with a secret in a file', () => {
    let file: string;

    const directory = ofSuite(() => temporaryDirectory());
    before(() => {
      file = join(directory.path, 'secret');
      writeFileSync(file, `${'f'.repeat(32)}\n`);
    });

    it('reads the file without the line end', () => {
      for (const name of secretNames) {
        const address = join(directory.path, name);
        writeFileSync(address, 'postgresql://db/from-a-file-of-at-least-32-characters\n');
        if (name === 'REDIS_URL') writeFileSync(address, 'redis://db/from-a-file-of-at-least-32-characters\n');
        if (name === 'REDIS_SENTINELS')
          writeFileSync(address, 'redis://:%2Ffrom-a-file-of-at-least-32-characters@one\n');
        if (name === 'REDIS_CLUSTER') writeFileSync(address, 'redis://:%2Ffrom-a-file-of-at-least-32-characters@one\n');
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

    it('satisfies the requirements of production', () => {
      expect(complaints({ ...production, SESSION_SECRET: '', SESSION_SECRET_FILE: file })).to.deep.equal([]);
    });

    it('refuses a file that cannot be read and a secret that is set twice, without printing either', () => {
      expect(complaints({ SESSION_SECRET_FILE: join(directory.path, 'missing') })).to.deep.equal([
        'SESSION_SECRET_FILE names a file that cannot be read (ENOENT).',
      ]);
      expect(complaints({ SESSION_SECRET_FILE: file, SESSION_SECRET: 's'.repeat(32) })).to.deep.equal([
        'SESSION_SECRET and SESSION_SECRET_FILE say the same: set one of them.',
      ]);
    });
  });

  it('accepts a compatible server instead of the key, and an emulator without a client', () => {
    expect(complaints({ ...production, ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: 'http://model' })).to.deep.equal([]);
    expect(loadConfig({ GITHUB_BASE_URL: 'http://127.0.0.1:4001/' }).providers).to.deep.equal({
      github: { clientId: 'advisory-chat', clientSecret: 'emulated', baseUrl: 'http://127.0.0.1:4001' },
    });
  });

  it('reads only the variables that a program uses, and requires those that it needs in production', () => {
    const use = { need: databaseUse.need, read: ['PUBLIC_URL', 'TOKENS_PER_DAY_USER'] } as const;
    const environment = { NODE_ENV: 'production', DATABASE_URL: 'postgresql://localhost/advice', MAX_STREAMS: 'many' };
    expect(loadConfig({ ...environment, TOKENS_PER_DAY_USER: '2000' }, use)).to.deep.include({
      databaseUrl: environment.DATABASE_URL,
      databaseMigrationUrl: environment.DATABASE_URL,
      publicUrl: undefined,
      tokensPerDay: { user: 2000, organization: undefined, demo: undefined },
    });
    expect(() => loadConfig({ ...environment, DATABASE_URL: '' }, use)).to.throw(
      ConfigError,
      /^DATABASE_URL is needed in production: a PostgreSQL server\.$/,
    );
    expect(() => loadConfig({ ...environment, TOKENS_PER_DAY_USER: 'few' }, use)).to.throw(ConfigError);
  });
});
