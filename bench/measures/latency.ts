import { setTimeout as delay } from 'node:timers/promises';
import type { Contender } from '../contenders/contenders.ts';
import { absolute, comparison, median, medianRatio, timesFloor } from '../report/comparison.ts';
import { quantile } from '../report/spread.ts';
import type { LoadShape, Rig, Run } from '../rig.ts';
import type { Measure } from './measure.ts';
import { inRounds } from './rounds.ts';

/** What those who left before a reply's end leave behind is not the next contender's. */
const aftermathMilliseconds = 1000;

/** What a reader waits for beyond the provider, who comes when `open` streams are under way. */
async function latency(contender: Contender, rig: Rig, shape: LoadShape, open: number) {
  await contender.call('watchLoop');
  const { finished, leave } = await rig.flow(contender, shape);
  const loop = await contender.call('loopDelay');
  await leave();
  const run = await finished;
  await delay(aftermathMilliseconds);
  const { firstText, deltas } = addedMilliseconds(run, open);
  return {
    firstTextP50: quantile(firstText, 0.5),
    firstTextP99: quantile(firstText, 0.99),
    deltaP50: quantile(deltas, 0.5),
    deltaP99: quantile(deltas, 0.99),
    loop,
  };
}

/** Milliseconds beyond the provider's own, of the requests after the first `open`; of every delta after a reply's first. */
function addedMilliseconds({ exchanges, sendings }: Run, open: number) {
  const firstText: number[] = [];
  const deltas: number[] = [];
  const first = Math.min(...exchanges.map(({ stream }) => stream));
  for (const { stream, sentAt, receivedAt } of exchanges) {
    const sending = sendings.get(stream);
    if (sending === undefined) throw new Error(`The provider does not know request ${stream}.`);
    if (stream - first < open) continue;
    const provider = at(sending.sentAt, 0) - sending.arrivedAt;
    firstText.push(at(receivedAt, 0) - sentAt - provider);
    for (let index = 1; index < receivedAt.length; index += 1) {
      deltas.push(at(receivedAt, index) - at(sending.sentAt, index));
    }
  }
  return { firstText, deltas };
}

function at(times: Float64Array, index: number): number {
  const time = times[index];
  if (time === undefined) throw new Error('A time is missing.');
  return time;
}

const firstText = ({ firstTextP50 }: { firstTextP50: number }) => firstTextP50;

export const measureLatency: Measure = async (bench) => {
  const open = bench.quick ? 100 : 500;
  const comers = bench.quick ? 50 : 200;
  const shape: LoadShape = {
    // Longer than the run: those who fill up stay to its end.
    reply: { deltas: 100, deltaCharacters: 20, paceMilliseconds: 200 },
    streams: open + comers,
    concurrency: open + comers,
    spacingMilliseconds: 20,
    fill: { streams: open, milliseconds: open * 8 },
  };
  const samples = await inRounds(bench, 'latency', (contender, rig) => latency(contender, rig, shape, open));
  return [
    {
      heading: `Added time to first text, ${open} streams open`,
      about:
        `${open} streams are under way, each with a delta every 200 ms; ${comers} more requests come, one every 20 ms, whether or not ` +
        'those before were answered. From the end of the request to its first text, less what the provider took, of those that came.',
      columns: ['', 'p50, times the floor', 'p50, ms', 'p99, ms'],
      rows: comparison(samples, [
        timesFloor(firstText, 1),
        absolute(firstText, 1),
        absolute(({ firstTextP99 }) => firstTextP99, 1),
      ]),
      goals: [
        {
          what: 'demo chat, p50',
          value: medianRatio(samples, firstText, 'demo', 'floor'),
          most: 1.5,
          unit: ' times the floor',
        },
        { what: 'live chat, p50', value: median(samples, firstText, 'live'), most: 6, unit: ' ms' },
      ],
    },
    {
      heading: `Added latency of each delta, ${open} streams open`,
      about:
        'The same run, the streams of those that came: from the provider’s write of a delta to its chunk’s arrival; and by how ' +
        'much the event loop of the serving process was late.',
      columns: ['', 'p50, ms', 'p99, ms', 'loop p50, ms', 'loop p99, ms', 'loop longest, ms'],
      rows: comparison(samples, [
        absolute(({ deltaP50 }) => deltaP50, 2),
        absolute(({ deltaP99 }) => deltaP99, 1),
        absolute(({ loop }) => loop.p50, 1),
        absolute(({ loop }) => loop.p99, 1),
        absolute(({ loop }) => loop.most, 1),
      ]),
    },
  ];
};
