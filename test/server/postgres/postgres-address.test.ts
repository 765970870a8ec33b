import { expect } from 'chai';
import { describe, it } from 'mocha';
import { PostgresAddressError, readPostgresAddress } from '../../../server/postgres/postgres-address.ts';

function problems(address: string): readonly string[] {
  try {
    readPostgresAddress(address);
  } catch (error) {
    if (error instanceof PostgresAddressError) return error.problems;
    throw error;
  }
  return [];
}

const hostsOf = (address: string) => readPostgresAddress(address).hosts;

describe('readPostgresAddress', () => {
  it('reads login, password, host, port and database, and sets no other parameters', () => {
    expect(readPostgresAddress('postgresql://user%40work:p%2Fw%3F@db.example.com:6543/advisory%20chat')).to.deep.equal({
      hosts: [{ name: 'db.example.com', port: 6543 }],
      user: 'user@work',
      password: 'p/w?',
      database: 'advisory chat',
      parameters: { target_session_attrs: 'any' },
    });
  });

  it('defaults to port 5432 and to the database named after the login', () => {
    expect(readPostgresAddress('postgres://user@db')).to.deep.include({
      hosts: [{ name: 'db', port: 5432 }],
      database: 'user',
    });
    expect(hostsOf('postgresql:///chat')).to.deep.equal([{ name: '', port: 5432 }]);
  });

  it('reads several servers in order, each with its own port', () => {
    expect(hostsOf('postgresql://user:a,b@one,two:5433,[::1]:5434,10.0.0.7/chat')).to.deep.equal([
      { name: 'one', port: 5432 },
      { name: 'two', port: 5433 },
      { name: '::1', port: 5434 },
      { name: '10.0.0.7', port: 5432 },
    ]);
  });

  it('accepts the directory of a Unix socket as a host', () => {
    expect(hostsOf('postgresql://%2Fvar%2Frun%2Fpostgresql/chat')).to.deep.equal([
      { name: '/var/run/postgresql', port: 5432 },
    ]);
  });

  it('reads every supported parameter, does not decode a plus sign as a space, and uses the last value of a repeated parameter', () => {
    const parameters = [
      'sslmode=verify-full',
      'sslrootcert=/etc/ca.pem',
      'sslcert=c.pem',
      'sslkey=k.pem',
      'application_name=a+b%20c',
      'connect_timeout=2',
      'connect_timeout=3',
      'options=-c%20work_mem%3D8MB',
      'target_session_attrs=read-write',
    ];
    expect(readPostgresAddress(`postgresql://db/chat?${parameters.join('&')}`).parameters).to.deep.equal({
      sslmode: 'verify-full',
      sslrootcert: '/etc/ca.pem',
      sslcert: 'c.pem',
      sslkey: 'k.pem',
      application_name: 'a+b c',
      connect_timeout: 3,
      options: '-c work_mem=8MB',
      target_session_attrs: 'read-write',
    });
  });

  for (const address of [
    'mysql://db/chat',
    'db',
    '',
    'postgresql://one,,two/chat',
    'postgresql://db:port/chat',
    'postgresql://db:70000/chat',
    'postgresql://user:p#w@db/chat',
    'postgresql://user:12/pw@db/chat',
    'postgresql://user:p%zz@db/chat',
    'postgresql://db/chat?options=%zz',
  ]) {
    it(`refuses ${JSON.stringify(address)}`, () => {
      expect(problems(address)).to.deep.equal([
        'must be a postgresql:// address, with special characters of a password percent-encoded',
      ]);
    });
  }

  it('names every unsupported parameter', () => {
    expect(problems('postgresql://db/chat?channel_binding=require&schema=advice')).to.deep.equal([
      'has an unsupported parameter, channel_binding',
      'has an unsupported parameter, schema',
    ]);
  });

  it('does not name a parameter that could be part of a password', () => {
    for (const address of ['postgresql://u:12?canary=1@db/chat', 'postgresql://db/chat?can%20ary=1']) {
      expect(problems(address)).to.deep.equal(['has an unsupported parameter']);
    }
  });

  for (const [parameters, ...expected] of [
    ['sslmode=prefer', 'must set sslmode to disable, require, verify-ca or verify-full'],
    ['connect_timeout=0', 'must set connect_timeout to a whole number of seconds from 1 to 9999'],
    ['connect_timeout=1s', 'must set connect_timeout to a whole number of seconds from 1 to 9999'],
    [
      'target_session_attrs=master&sslmode=no',
      'must set sslmode to disable, require, verify-ca or verify-full',
      'must set target_session_attrs to any, read-write, read-only, primary, standby or prefer-standby',
    ],
    ['sslmode=require&sslrootcert=', 'must set sslrootcert to the path of a file'],
    ['sslrootcert=ca.pem', 'must set sslmode if it names TLS certificates'],
    ['sslmode=require&sslcert=c.pem', 'must set both sslcert and sslkey, or neither'],
    ['sslmode=verify-ca', 'must set sslrootcert if sslmode is verify-ca'],
    ['sslmode=require&sslrootcert=system', 'must set sslmode to verify-full if sslrootcert is system'],
  ] as const) {
    it(`refuses "${parameters}"`, () => {
      expect(problems(`postgresql://db/chat?${parameters}`)).to.deep.equal(expected);
    });
  }
});
