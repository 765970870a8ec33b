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

  for (const [trustProxy, hints] of [
    [true, 1],
    [false, 0],
  ] as const) {
    it(`logs ${hints} hint for two requests from a private address if trustProxy is ${trustProxy}`, async () => {
      const lines: string[] = [];
      const logger = createLogger({ level: 'warn' }, { write: (line) => lines.push(line) });
      const limiters = Object.fromEntries(Object.keys(limits).map((each) => [each, { take: async () => undefined }]));
      const count = createCountAgainst({
        limiters: limiters as Record<LimitName, { take: () => Promise<void> }>,
        trustProxy,
        logger,
      })('demo');
      for (let requests = 0; requests < 2; requests += 1)
        await count(requestFrom('10.0.0.7'), {} as Response, (() => undefined) as NextFunction);
      expect(lines).to.have.length(hints);
    });
  }
});
