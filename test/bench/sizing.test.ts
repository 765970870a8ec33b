import { expect } from 'chai';
import { describe, it } from 'mocha';
import { bounds, estimate, measured, peopleOf, planned, printed, readOptions, usualUse } from '../../bench/sizing.ts';

/** One person asks 3,600 times a day, all of it in one hour: one turn a second, and two in the busiest moments. */
const onePerSecond = { people: 1, activeShare: 1, turnsOfDay: 3600, busiestHourShare: 1, replySeconds: 10 };

describe('npm run sizing', () => {
  it('counts the turns of a day, of a second in the busiest moments, and the replies under way then', () => {
    expect(estimate(onePerSecond)).to.include({ turnsPerDay: 3600, turnsPerSecond: 2, streams: 20 });
    const halfOfThem = { ...onePerSecond, people: 10, activeShare: 0.5, turnsOfDay: 360, busiestHourShare: 0.5 };
    expect(estimate(halfOfThem)).to.include({ turnsPerDay: 1800, turnsPerSecond: 0.5, streams: 5 });
  });

  it('has cores that are busy half of the time, and two instances at least', () => {
    const { cores, instances, connections } = estimate(onePerSecond);
    expect(cores).to.be.closeTo((2 * measured.processMillisecondsOfTurn * 2) / 1000, 1e-9);
    expect({ instances, connections }).to.deep.equal({ instances: 2, connections: 20 });
    const many = estimate({ ...onePerSecond, people: 1000 });
    expect(many.instances).to.equal(Math.ceil((4000 * measured.processMillisecondsOfTurn) / 1000));
    expect(many.connections).to.equal(many.instances * 10);
  });

  it('has an instance for each 5,000 replies, however little they ask of the processor', () => {
    const long = estimate({ ...onePerSecond, people: 10, replySeconds: 5000 });
    expect(long.streams).to.equal(100_000);
    expect(long.instances).to.equal(20);
    expect(long.mebibytesOfInstance).to.be.closeTo(
      measured.mebibytesOfProcess + (5000 * measured.kibibytesOfStream) / 1024,
      1e-9,
    );
  });

  it('adds up what is stored of turns and of people', () => {
    const { databaseBytesOfYear, logBytesPerSecond } = estimate(onePerSecond);
    expect(databaseBytesOfYear).to.equal(3600 * 365 * measured.storedBytesOfTurn + measured.storedBytesOfPerson);
    expect(logBytesPerSecond).to.equal(2 * measured.logBytesOfTurn);
  });

  it('counts a minute of people in Redis, and nobody twice', () => {
    expect(estimate({ ...onePerSecond, people: 1 }).redisBytes).to.equal(measured.redisBytesOfPerson);
    const spread = { ...onePerSecond, people: 3600, turnsOfDay: 1 };
    expect(estimate(spread).redisBytes).to.equal(120 * measured.redisBytesOfPerson);
  });

  it('gives the people whom so many instances serve, and so many instances for these people', () => {
    for (const instances of [2, 10, 1000]) {
      const people = peopleOf(instances, usualUse);
      expect(estimate({ ...usualUse, people }).instances).to.equal(instances);
      expect(estimate({ ...usualUse, people: people * 1.01 }).instances).to.be.greaterThan(instances);
    }
  });

  it('orders what gives way by the people at whom it does', () => {
    const people = bounds(usualUse).map((bound) => bound.people);
    expect(people).to.deep.equal(people.toSorted((one, other) => one - other));
    const connections = bounds(usualUse).find(({ remedy }) => remedy.includes('PgBouncer'));
    expect(connections?.people).to.equal(peopleOf(9, usualUse));
    expect(planned.connectionsOfInstance * 10).to.be.greaterThan(planned.connectionsOfDatabase);
  });

  it('says what has given way and what holds', () => {
    const [first] = bounds(usualUse);
    if (first === undefined) throw new Error('Nothing gives way.');
    const line = (people: number) => printed({ ...usualUse, people }).split('What gives way, and what then:\n')[1];
    expect(line(first.people)).to.match(/^holds /);
    expect(line(first.people + 1)).to.match(/^passed /);
  });

  it('takes shares of a hundred, and refuses what is no number, in a sentence', () => {
    expect(readOptions(['--people', '1000000', '--active', '50', '--turns', '3'])).to.deep.equal({
      ...usualUse,
      people: 1_000_000,
      activeShare: 0.5,
      turnsOfDay: 3,
    });
    expect(readOptions(['--instances', '10'])?.people).to.equal(peopleOf(10, usualUse));
    expect(readOptions(['--help'])).to.equal(null);
    expect(() => readOptions([])).to.throw('Say --people or --instances, and not both.');
    expect(() => readOptions(['--people', 'many'])).to.throw('--people wants a number above 0.');
    expect(() => readOptions(['--people', '1', '--active', '101'])).to.throw('--active wants a number from 0 to 100.');
  });
});
