import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readRedisNodes, readRedisSentinels, readRedisServer } from '../../../server/redis/redis-address.ts';

const plain = { tls: false, username: undefined, password: undefined };

describe('readRedisServer', () => {
  it('reads the login, the host, the port and the database', () => {
    expect(readRedisServer('rediss://svc:p%40ss%23w@[2001:db8::7]:6380/2')).to.deep.equal({
      tls: true,
      username: 'svc',
      password: 'p@ss#w',
      host: '2001:db8::7',
      port: 6380,
      database: 2,
    });
    expect(readRedisServer('redis://one/')).to.deep.equal({ ...plain, host: 'one', port: 6379, database: 0 });
  });
});

describe('readRedisNodes', () => {
  for (const [text, expected] of [
    ['one:7000', { ...plain, hosts: [{ host: 'one', port: 7000 }] }],
    [
      'one:7000, 203.0.113.7,[2001:db8::7]:7001',
      {
        ...plain,
        hosts: [
          { host: 'one', port: 7000 },
          { host: '203.0.113.7', port: 6379 },
          { host: '2001:db8::7', port: 7001 },
        ],
      },
    ],
    [
      'rediss://chat:p%2Fa%3Ass@one',
      { tls: true, username: 'chat', password: 'p/a:ss', hosts: [{ host: 'one', port: 6379 }] },
    ],
    [':a:b@one', { ...plain, password: 'a:b', hosts: [{ host: 'one', port: 6379 }] }],
  ] as const) {
    it(`reads "${text}"`, () => expect(readRedisNodes(text)).to.deep.equal(expected));
  }

  for (const text of ['', 'one,', 'one:0', 'one:65536', 'one:x', 'http://one', 'one/2', 'one?a=b', '%@one', 'a b']) {
    it(`refuses ${JSON.stringify(text)}`, () => expect(readRedisNodes(text)).to.equal(undefined));
  }
});

describe('readRedisSentinels', () => {
  it('reads the hosts, the database, and the credentials of Redis and of the Sentinels', () => {
    expect(readRedisSentinels('one')).to.deep.equal({
      ...plain,
      hosts: [{ host: 'one', port: 26379 }],
      database: 0,
      sentinelUsername: undefined,
      sentinelPassword: undefined,
    });
    expect(
      readRedisSentinels('redis://:secret@one:1,other/3?sentinel_username=a&sentinel_password=b%2Bc'),
    ).to.deep.equal({
      ...plain,
      password: 'secret',
      hosts: [
        { host: 'one', port: 1 },
        { host: 'other', port: 26379 },
      ],
      database: 3,
      sentinelUsername: 'a',
      sentinelPassword: 'b+c',
    });
  });

  it('refuses an unknown parameter', () => {
    expect(readRedisSentinels('one?password=secret')).to.equal(undefined);
  });
});
