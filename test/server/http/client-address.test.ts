import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isPrivateAddress } from '../../../server/http/client-address.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createTestApp, question } from '../../support/test-app.ts';

describe("the client's address", () => {
  const app = perSuite(() => createTestApp({ limits: { demo: 1 } }));

  const from = async (address: string) => (await app.demo(question(), { 'X-Forwarded-For': address })).status;

  for (const [rule, one, other, isSame] of [
    ['is the /64 network of an IPv6 address', '2001:db8:1:1::1', '2001:db8:1:1:ffff:ffff:ffff:ffff', true],
    ['is the same for all notations of an IPv6 address', '2001:DB8:0001:2:0:0:0:7', '2001:db8:1:2::7', true],
    ['can be IPv6 with an IPv4 suffix', '2001:db8:1:3::203.0.113.7', '2001:db8:1:3::cb00:7107', true],
    ['is the IPv4 address in an IPv4-mapped address', '203.0.113.11', '::ffff:203.0.113.11', true],
    ['is the IPv4 address in an IPv4-mapped address in hexadecimal', '203.0.113.12', '0:0:0:0:0:ffff:cb00:710c', true],
    ['ignores the zone', 'fe80::1%eth0', 'fe80::2%eth1', true],
    ['ignores the port', '203.0.113.13:1234', '203.0.113.13:4321', true],
    ['ignores the port and brackets of an IPv6 address', '[2001:db8:1:4::1]:1234', '[2001:db8:1:4::1]', true],
    ['differs between two IPv6 networks', '2001:db8:2:1::1', '2001:db8:2:2::1', false],
    ['differs between two IPv4 addresses', '203.0.113.21', '203.0.113.22', false],
    ['is the unchanged text if it is not an address', 'unknown:1', 'unknown:2', false],
  ] as const) {
    it(rule, async () => {
      expect(await from(one)).to.equal(200);
      expect(await from(other)).to.equal(isSame ? 429 : 200);
      expect(await from(other)).to.equal(429);
    });
  }
});

describe('isPrivateAddress', () => {
  it('is true for private, link-local, carrier-grade NAT and loopback addresses', () => {
    for (const address of [
      '10.0.0.7',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.1.1',
      '100.64.0.1',
      '127.0.0.1',
      '0.0.0.0',
      'fd00::/64',
      'fe80:0:0:0::/64',
      '0:0:0:0::/64',
    ]) {
      expect(isPrivateAddress(address), address).to.equal(true);
    }
  });

  it('is false for public addresses and for other text', () => {
    for (const address of ['203.0.113.7', '100.128.0.1', '172.32.0.1', '2001:4860:0:1::/64', 'unknown', '']) {
      expect(isPrivateAddress(address), address).to.equal(false);
    }
  });
});
