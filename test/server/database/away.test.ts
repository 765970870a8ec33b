import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isAway } from '../../../server/database/away.ts';

const withCode = (code: string) => Object.assign(new Error('in words of its own'), { code });

describe('isAway', () => {
  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN']) {
    it(`is true for a connection that fails with ${code}`, () => {
      expect(isAway(withCode(code))).to.equal(true);
    });
  }

  for (const [state, what] of [
    ['08001', 'no server can be reached'],
    ['08006', 'the connection has failed'],
    ['08P01', 'a pooler has lost its server'],
    ['57P01', 'the server shuts down'],
    ['57P02', 'the server has crashed'],
    ['57P03', 'the server starts, or recovers'],
    ['25006', 'the server is a standby'],
  ] as const) {
    it(`is true where ${what} (${state})`, () => {
      expect(isAway(withCode(state))).to.equal(true);
    });
  }

  for (const sentence of [
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Query read timeout',
  ]) {
    it(`is true for the driver's "${sentence}"`, () => {
      expect(isAway(new Error(sentence))).to.equal(true);
    });
  }

  it('is false for what a database that is there refuses, and for errors of ours', () => {
    for (const code of ['23505', '22P02', '28P01', '3D000', '40P01', '42501', '53100', '55P03', '57014', 'EACCES']) {
      expect(isAway(withCode(code)), code).to.equal(false);
    }
    for (const error of [new Error('connection refused'), '57P01', undefined, null]) {
      expect(isAway(error)).to.equal(false);
    }
  });
});
