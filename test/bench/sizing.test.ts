import { expect } from 'chai';
import { describe, it } from 'mocha';
import { bottlenecks, estimate, formatEstimate, measured, readOptions } from '../../bench/sizing.ts';

/** 3,600 turns in one hour are one per second, and two per second in the busiest moments. */
const onePerSecond = { people: 1, active: 100, turns: 3600, 'busiest-hour': 100, 'reply-seconds': 10 };

describe('npm run sizing', () => {
  it('estimates turns, streams, connections and instances for cores that are half loaded', () => {
    const { cores, ...counted } = estimate(onePerSecond);
    expect(counted).to.include({ turnsPerDay: 3600, turnsPerSecond: 2, streams: 20, instances: 2, connections: 20 });
    expect(cores).to.be.closeTo((2 * measured.serviceMillisecondsPerTurn * 2) / 1000, 1e-9);
  });

  it('adds an instance for every 5,000 streams, even if the cores are idle', () => {
    expect(estimate({ ...onePerSecond, people: 10, 'reply-seconds': 5000 }).instances).to.equal(20);
  });

  it('lists the bottlenecks in the order in which growth reaches them, and marks the exceeded ones', () => {
    const defaults = readOptions(['--people', '1']);
    const people = bottlenecks(defaults).map(([, people]) => people);
    expect(people).to.deep.equal(people.toSorted((one, other) => one - other));
    const [first = 0] = people;
    const line = (people: number) => formatEstimate({ ...defaults, people }).split('Bottlenecks, in order:\n')[1];
    expect(line(first)).to.match(/^ok /);
    expect(line(first + 1)).to.match(/^exceeded /);
  });

  it('uses defaults for optional values, and rejects a missing or invalid required one with a readable message', () => {
    expect(readOptions(['--people', '1000000', '--active', '50'])).to.include({
      people: 1_000_000,
      active: 50,
      turns: 8,
    });
    expect(() => readOptions([])).to.throw('--people must be a number above 0.');
    expect(() => readOptions(['--people', 'many'])).to.throw('--people must be a number above 0.');
  });
});
