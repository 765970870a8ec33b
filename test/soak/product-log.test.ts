import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readAwayFromRedis } from './parts/product-log.ts';

describe('the log of the product in a soak', () => {
  const line = (time: number, limiter: string, msg: string) => JSON.stringify({ level: 40, time, limiter, msg });
  const gone = 'Redis is away: this process counts by itself';
  const back = 'Redis is back: rate-limit counts are shared again';
  const lives = [
    { startedAt: 0, exitedAt: 100, killed: true, code: null },
    { startedAt: 110, exitedAt: null, killed: false, code: null },
  ];

  it('tells when each limiter of each process counted by itself', () => {
    const lines = [
      line(10, 'live', gone),
      line(12, 'demo', gone),
      line(20, 'live', back),
      line(120, 'live', gone),
      'no JSON at all',
    ];
    expect(readAwayFromRedis(lines, lives)).to.deep.equal([
      { limiter: 'live', life: 0, from: 10, to: 20 },
      { limiter: 'demo', life: 0, from: 12, to: 100 },
      { limiter: 'live', life: 1, from: 120, to: Number.MAX_VALUE },
    ]);
  });
});
