import { expect } from 'chai';
import { describe, it } from 'mocha';
import { groupByDay, splitGroup } from '../../../client/library/conversation-groups.ts';

const at = (time: string) => ({ lastActiveAt: Date.parse(time) });

function keysOf(entries: readonly { lastActiveAt: number }[], now: string, timeZone = 'UTC') {
  return groupByDay(entries, Date.parse(now), timeZone).map(({ key, entries: { length } }) => `${key}: ${length}`);
}

describe('groupByDay', () => {
  it('groups by today, yesterday, the seven days before today, and month', () => {
    const entries = [
      ...[at('2026-11-22T09:00Z'), at('2026-11-22T00:00Z'), at('2026-11-21T23:59Z'), at('2026-11-20T12:00Z')],
      ...[at('2026-11-15T00:00Z'), at('2026-11-14T23:59Z'), at('2026-10-31T12:00Z'), at('2025-11-22T12:00Z')],
    ];
    const counts = ['today: 2', 'yesterday: 1', 'week: 2', '2026-11: 1', '2026-10: 1', '2025-11: 1'];
    expect(keysOf(entries, '2026-11-22T10:00Z')).to.deep.equal(counts);
  });

  it('uses the days of the time zone, including a day with fewer than 24 hours', () => {
    const entries = [at('2026-11-21T23:30Z')];
    expect(keysOf(entries, '2026-11-22T10:00Z', 'Europe/Berlin')).to.deep.equal(['today: 1']);
    expect(keysOf(entries, '2026-11-22T10:00Z', 'America/New_York')).to.deep.equal(['yesterday: 1']);
    const beforeSummerTime = [at('2026-03-28T22:30Z')];
    expect(keysOf(beforeSummerTime, '2026-03-29T22:30Z', 'Europe/Berlin')).to.deep.equal(['week: 1']);
    expect(keysOf(beforeSummerTime, '2026-03-29T21:30Z', 'Europe/Berlin')).to.deep.equal(['yesterday: 1']);
  });

  it('counts a time in the future as today', () => {
    expect(keysOf([at('2026-11-24T09:00Z')], '2026-11-22T10:00Z')).to.deep.equal(['today: 1']);
  });

  it('gives each group a time from which a month name can be formatted', () => {
    const [group] = groupByDay([at('2026-09-03T12:00Z')], Date.parse('2026-11-22T10:00Z'), 'UTC');
    const month = new Intl.DateTimeFormat('de', { month: 'long', year: 'numeric', timeZone: 'UTC' });
    expect(month.format(group?.moment)).to.equal('September 2026');
  });
});

describe('splitGroup', () => {
  it('splits a group into groups of at most 100 entries, of which only the first has the heading', () => {
    const entries = Array.from({ length: 201 }, (_, index) => ({ id: `${index}`, title: '', lastActiveAt: -index }));
    const group = { key: 'week', period: 'week', moment: 5 } as const;
    const piece = (start: number, end: number, hasHeading: boolean) => {
      return { ...group, key: `week:${start}`, hasHeading, entries: entries.slice(start, end) };
    };
    expect(splitGroup({ ...group, entries }, true)).to.deep.equal([
      piece(0, 100, true),
      piece(100, 200, false),
      piece(200, 201, false),
    ]);
    expect(splitGroup({ ...group, entries: entries.slice(0, 100) }, false)).to.deep.equal([piece(0, 100, false)]);
    expect(splitGroup({ ...group, entries: [] }, true)).to.deep.equal([]);
  });
});
