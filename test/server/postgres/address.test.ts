import { expect } from 'chai';
import { describe, it } from 'mocha';
import { PostgresAddressError, readPostgresAddress } from '../../../server/postgres/address.ts';

function complaints(address: string): readonly string[] {
  try {
    readPostgresAddress(address);
  } catch (error) {
    if (error instanceof PostgresAddressError) return error.complaints;
    throw error;
  }
  return [];
}

const hostsOf = (address: string) => readPostgresAddress(address).hosts;

describe('readPostgresAddress', () => {
  it('reads who logs in where, and asks for nothing that the address does not say', () => {
    expect(readPostgresAddress('postgresql://user%40work:p%2Fw%3F@db.example.com:6543/advisory%20chat')).to.deep.equal({
      hosts: [{ name: 'db.example.com', port: 6543 }],
      user: 'user@work',
      password: 'p/w?',
      database: 'advisory chat',
      parameters: { target_session_attrs: 'any' },
    });
  });

  it('takes the port 5432 and the database of the login’s name where the address names none', () => {
    expect(readPostgresAddress('postgres://user@db')).to.deep.include({
      hosts: [{ name: 'db', port: 5432 }],
      database: 'user',
    });
    expect(hostsOf('postgresql:///chat')).to.deep.equal([{ name: '', port: 5432 }]);
  });

  it('keeps several servers in their order, each with a port of its own', () => {
    expect(hostsOf('postgresql://user:a,b@one,two:5433,[::1]:5434,10.0.0.7/chat')).to.deep.equal([
      { name: 'one', port: 5432 },
      { name: 'two', port: 5433 },
      { name: '::1', port: 5434 },
      { name: '10.0.0.7', port: 5432 },
    ]);
  });

  it('takes the directory of a Unix socket for a server', () => {
    expect(hostsOf('postgresql://%2Fvar%2Frun%2Fpostgresql/chat')).to.deep.equal([
      { name: '/var/run/postgresql', port: 5432 },
    ]);
  });

  it('reads every parameter that counts here, a plus as a plus, and of two the last', () => {
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
    'postgresql://user:p%zz@db/chat',
    'postgresql://db/chat?options=%zz',
  ]) {
    it(`refuses ${JSON.stringify(address)}`, () => {
      expect(complaints(address)).to.deep.equal(['must be a postgresql:// address']);
    });
  }

  it('names every parameter that it does not know', () => {
    expect(complaints('postgresql://db/chat?channel_binding=require&schema=advice')).to.deep.equal([
      'has the parameter channel_binding, which is not supported',
      'has the parameter schema, which is not supported',
    ]);
  });

  it('names none that could be half of a password', () => {
    for (const address of ['postgresql://u:12?canary=1@db/chat', 'postgresql://db/chat?can%20ary=1']) {
      expect(complaints(address)).to.deep.equal(['has a parameter that is not supported']);
    }
  });

  for (const [parameters, ...expected] of [
    ['sslmode=prefer', 'must have disable, require, verify-ca or verify-full as its sslmode'],
    ['connect_timeout=0', 'must have a whole number of seconds, from 1 to 9999, as its connect_timeout'],
    ['connect_timeout=1s', 'must have a whole number of seconds, from 1 to 9999, as its connect_timeout'],
    [
      'target_session_attrs=master&sslmode=no',
      'must have disable, require, verify-ca or verify-full as its sslmode',
      'must have any, read-write, read-only, primary, standby or prefer-standby as its target_session_attrs',
    ],
    ['sslmode=require&sslrootcert=', 'must name a file in sslrootcert'],
    ['sslrootcert=ca.pem', 'has certificates for TLS, which need an sslmode'],
    ['sslmode=require&sslcert=c.pem', 'has one of sslcert and sslkey, which go together'],
    ['sslmode=verify-ca', 'has the sslmode verify-ca, which needs the authority in sslrootcert'],
    ['sslmode=require&sslrootcert=system', 'has the sslrootcert system, which needs the sslmode verify-full'],
  ] as const) {
    it(`refuses ${parameters}`, () => {
      expect(complaints(`postgresql://db/chat?${parameters}`)).to.deep.equal(expected);
    });
  }
});
