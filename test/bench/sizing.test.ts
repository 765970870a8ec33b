import { expect } from 'chai';
import { describe, it } from 'mocha';
import { bounds, estimate, measured, peopleOf, printed, readOptions, usualUse } from '../../bench/sizing.ts';

/** One person asks 3,600 times a day, all of it in one hour: one turn a second, and two in the busiest moments. */
const onePerSecond = { people: 1, activeShare: 1, turnsOfDay: 3600, busiestHourShare: 1, replySeconds: 10 };

describe('npm run sizing', () => {
  it('counts turns, replies under way and instances, which are busy half of the time', () => {
    const { cores, ...counted } = estimate(onePerSecond);
    expect(counted).to.include({ turnsPerDay: 3600, turnsPerSecond: 2, streams: 20, instances: 2, connections: 20 });
    expect(cores).to.be.closeTo((2 * measured.processMillisecondsOfTurn * 2) / 1000, 1e-9);
  });

  it('has an instance for each 5,000 replies, however little they ask of the processor', () => {
    expect(estimate({ ...onePerSecond, people: 10, replySeconds: 5000 }).instances).to.equal(20);
  });

  it('gives the people whom so many instances serve, and so many instances for these people', () => {
    for (const instances of [2, 10, 1000]) {
      const people = peopleOf(instances, usualUse);
      expect(estimate({ ...usualUse, people }).instances).to.equal(instances);
      expect(estimate({ ...usualUse, people: people * 1.01 }).instances).to.be.greaterThan(instances);
    }
  });

  it('says what has given way and what holds, in the order in which it gives way', () => {
    const people = bounds(usualUse).map((bound) => bound.people);
    expect(people).to.deep.equal(people.toSorted((one, other) => one - other));
    const [first = 0] = people;
    const line = (people: number) => printed({ ...usualUse, people }).split('What gives way, and what then:\n')[1];
    expect(line(first)).to.match(/^holds /);
    expect(line(first + 1)).to.match(/^passed /);
  });

  it('takes shares of a hundred, and refuses what is no number, in a sentence', () => {
    const habits = { activeShare: 0.5, turnsOfDay: 3 };
    const words = ['--people', '1000000', '--active', '50', '--turns', '3'];
    expect(readOptions(words)).to.deep.equal({ ...usualUse, ...habits, people: 1_000_000 });
    expect(readOptions(['--instances', '10'])?.people).to.equal(peopleOf(10, usualUse));
    expect(readOptions(['--help'])).to.equal(null);
    expect(() => readOptions([])).to.throw('Say --people or --instances, and not both.');
    expect(() => readOptions(['--people', 'many'])).to.throw('--people wants a number above 0.');
    expect(() => readOptions(['--people', '1', '--active', '101'])).to.throw('--active wants a number from 0 to 100.');
  });
});
