import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import type { Request, Response } from 'express';
import { describe, it } from 'mocha';
import { clientAddress, createAuditSourceOf, isPrivateAddress } from '../../../server/http/client-address.ts';

describe('clientAddress', () => {
  const addressOf = (headers: Record<string, string>) =>
    clientAddress({ headers, socket: { remoteAddress: '::ffff:192.0.2.1' } } as unknown as IncomingMessage);

  for (const [rule, forwarded, expected] of [
    ['is the /64 network of an IPv6 address', '2001:db8:1:1:ffff:ffff:ffff:ffff', '2001:db8:1:1::/64'],
    ['is the same for all notations of an IPv6 address', '2001:DB8:0001:1:0:0:0:7', '2001:db8:1:1::/64'],
    ['can be IPv6 with an IPv4 suffix', '2001:db8:1:1::203.0.113.7', '2001:db8:1:1::/64'],
    ['is the IPv4 address in an IPv4-mapped address', '::ffff:203.0.113.11', '203.0.113.11'],
    ['is the IPv4 address in an IPv4-mapped address in hexadecimal', '0:0:0:0:0:ffff:cb00:710c', '203.0.113.12'],
    ['ignores the zone', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['ignores the port', '203.0.113.13:1234', '203.0.113.13'],
    ['ignores the port and brackets of an IPv6 address', '[2001:db8:1:1::1]:1234', '2001:db8:1:1::/64'],
    ['ignores brackets without a port', '[2001:db8:1:1::1]', '2001:db8:1:1::/64'],
    ['is the unchanged text if it is not an address', 'unknown:one', 'unknown:one'],
  ] as const) {
    it(rule, () => expect(addressOf({ 'x-forwarded-for': forwarded })).to.equal(expected));
  }

  it('is the address in the header, or the address of the connection if no header has one', () => {
    expect(addressOf({ 'x-forwarded-for': ' ', 'x-real-ip': '' })).to.equal('192.0.2.1');
    expect(addressOf({ 'x-forwarded-for': ' ', 'x-real-ip': ' 203.0.113.7 ' })).to.equal('203.0.113.7');
  });
});

describe('createAuditSourceOf', () => {
  function sourceOf(address: string, ...secrets: [string, ...string[]]) {
    const request = { headers: {}, socket: { remoteAddress: address } } as unknown as Request;
    const response = { locals: { context: { ids: { requestId: 'mine' } } } } as unknown as Response;
    return createAuditSourceOf(secrets)(request, response);
  }

  it('hashes the address the same way in every release, with a key derived from the first session secret only', () => {
    const { requestId, addressHash } = sourceOf('203.0.113.1', 'new', 'old');
    expect(requestId).to.equal('mine');
    expect(addressHash).to.equal('h6USMCbzYBbfAwdFpKgdL9');
    expect(sourceOf('203.0.113.1', 'new').addressHash).to.equal(addressHash);
    expect(sourceOf('203.0.113.1', 'old').addressHash).not.to.equal(addressHash);
    expect(sourceOf('203.0.113.2', 'new').addressHash).not.to.equal(addressHash);
  });
});

describe('isPrivateAddress', () => {
  const local = ['10.0.0.7', '169.254.1.1', '100.64.0.1', '127.0.0.1', '0.0.0.0', 'fd00::/64', 'fe80:0:0:0::/64'];
  const others = ['203.0.113.7', '100.128.0.1', '172.32.0.1', '2001:4860:0:1::/64', 'unknown', ''];

  it('is true for private, link-local, carrier-grade NAT and loopback addresses only', () => {
    expect([...local, '0:0:0:0::/64', ...others].filter(isPrivateAddress)).to.deep.equal([...local, '0:0:0:0::/64']);
  });
});
