import { expect } from 'chai';
import { describe, it } from 'mocha';
import { bounds, estimate, measured, printed, readOptions } from '../../bench/sizing.ts';

/** One person asks 3,600 times a day, all of it in one hour: one turn a second, and two in the busiest moments. */
const onePerSecond = { people: 1, active: 100, turns: 3600, 'busiest-hour': 100, 'reply-seconds': 10 };

describe('npm run sizing', () => {
  it('counts turns, replies under way and instances, which are busy half of the time', () => {
    const { cores, ...counted } = estimate(onePerSecond);
    expect(counted).to.include({ turnsPerDay: 3600, turnsPerSecond: 2, streams: 20, instances: 2, connections: 20 });
    expect(cores).to.be.closeTo((2 * measured.processMillisecondsOfTurn * 2) / 1000, 1e-9);
  });

  it('has an instance for each 5,000 replies, however little they ask of the processor', () => {
    expect(estimate({ ...onePerSecond, people: 10, 'reply-seconds': 5000 }).instances).to.equal(20);
  });

  it('says what has given way and what holds, in the order in which it gives way', () => {
    const usual = readOptions(['--people', '1']);
    const people = bounds(usual).map(([, people]) => people);
    expect(people).to.deep.equal(people.toSorted((one, other) => one - other));
    const [first = 0] = people;
    const line = (people: number) => printed({ ...usual, people }).split('What gives way, and what then:\n')[1];
    expect(line(first)).to.match(/^holds /);
    expect(line(first + 1)).to.match(/^passed /);
  });

  it('takes what is usual where nothing is said, and refuses what is no number, in a sentence', () => {
    expect(readOptions(['--people', '1000000', '--active', '50'])).to.include({
      people: 1_000_000,
      active: 50,
      turns: 8,
    });
    expect(() => readOptions([])).to.throw('--people wants a number above 0.');
    expect(() => readOptions(['--people', 'many'])).to.throw('--people wants a number above 0.');
  });
});
