import { expect } from 'chai';
import type { NextFunction, Request, Response } from 'express';
import { describe, it } from 'mocha';
import { createLogger } from '../../../server/http/logger.ts';
import { createCounting } from '../../../server/http/request-limit.ts';
import { type LimitName, limits } from '../../../shared/interface.ts';

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
      const count = createCounting({
        limiters: limiters as Record<LimitName, { take: typeof take }>,
        trustProxy: true,
        logger,
      })(name);
      const request = { headers: { 'x-forwarded-for': '203.0.113.7' }, socket: {} } as unknown as Request;
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
});
