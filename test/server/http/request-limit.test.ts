import { expect } from 'chai';
import type { NextFunction, Request, Response } from 'express';
import { describe, it } from 'mocha';
import { createLogger } from '../../../server/http/logger.ts';
import { createCountAgainst } from '../../../server/http/request-limit.ts';
import { type LimitName, limits } from '../../../shared/interface.ts';

const requestFrom = (address: string) =>
  ({ headers: { 'x-forwarded-for': address }, socket: { remoteAddress: address } }) as unknown as Request;

const notCounted = () => Promise.reject(new Error('another limit is counted'));

describe('countAgainst', () => {
  for (const [name, { countedBy }] of Object.entries(limits) as [LimitName, (typeof limits)[LimitName]][]) {
    it(`counts a request against the ${name} limit by ${countedBy}`, async () => {
      const counted: string[] = [];
      const take = async (key: string) => void counted.push(key);
      const limiters = Object.fromEntries(
        Object.keys(limits).map((each) => [each, { take: each === name ? take : notCounted }]),
      );
      const logger = createLogger({ level: 'silent' }, { write: () => undefined });
      const count = createCountAgainst({
        limiters: limiters as Record<LimitName, { take: typeof take }>,
        trustProxy: true,
        logger,
      })(name);
      const request = requestFrom('203.0.113.7');
      const user = { id: 'a-user' };
      const response = { locals: { context: { user } } } as unknown as Response;
      let passed = false;
      await count(request, response, (() => {
        passed = true;
      }) as NextFunction);
      expect(counted).to.deep.equal([countedBy === 'user' ? 'a-user' : '203.0.113.7']);
      expect(passed).to.equal(true);
    });
  }

  for (const [count, trustProxy, hints] of [
    ['one warning', true, [40]],
    ['no warning', false, []],
  ] as const) {
    it(`logs ${count} if several clients have private addresses and trustProxy is ${trustProxy}`, async () => {
      const levels: number[] = [];
      const logger = createLogger({ level: 'info' }, { write: (line) => void levels.push(JSON.parse(line).level) });
      const limiters = Object.fromEntries(Object.keys(limits).map((each) => [each, { take: async () => undefined }]));
      const countAgainst = createCountAgainst({
        limiters: limiters as Record<LimitName, { take: () => Promise<void> }>,
        trustProxy,
        logger,
      });
      const countFrom = async (addresses: string[]) => {
        for (const each of addresses) await countAgainst('demo')(requestFrom(each), {} as Response, () => undefined);
      };
      await countFrom(['203.0.113.7', '2001:db8:1:1::1']);
      expect(levels).to.deep.equal([]);
      await countFrom(['10.0.0.7', 'fd00::1']);
      expect(levels).to.deep.equal(hints);
    });
  }
});
