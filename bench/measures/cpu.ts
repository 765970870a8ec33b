import { setTimeout as delay } from 'node:timers/promises';
import type { Contender } from '../contenders/contenders.ts';
import { absolute, comparison, medianRatio, medianShareOfAdded, timesFloor } from '../report/comparison.ts';
import type { LoadShape, Rig } from '../rig.ts';
import type { Measure } from './measure.ts';
import { inRounds, type Samples } from './rounds.ts';

/** What happens after a reply's end, such as its log line, belongs to its account. */
const afterwardsMilliseconds = 100;

async function account(contender: Contender, rig: Rig, shape: LoadShape) {
  const before = await contender.call('cpu');
  const { elapsedMilliseconds } = await rig.run(contender, shape);
  await delay(afterwardsMilliseconds);
  const cpuMicroseconds = (await contender.call('cpu')) - before;
  const deltas = shape.streams * shape.reply.deltas;
  return {
    millisecondsPerThousand: cpuMicroseconds / deltas,
    deltasPerSecond: deltas / (elapsedMilliseconds / 1000),
    share: cpuMicroseconds / 1000 / elapsedMilliseconds,
  };
}

type Account = Awaited<ReturnType<typeof account>>;

const cost = ({ millisecondsPerThousand }: Account) => millisecondsPerThousand;

/** The processor time of the serving process, when replies come at a model's pace. */
export const measurePaced: Measure = async (bench) => {
  // So few that nobody is saturated: who falls behind finds several deltas in a packet, and looks cheaper than it is.
  const streams = 50;
  const shape: LoadShape = {
    reply: { deltas: bench.quick ? 100 : 200, deltaCharacters: 20, paceMilliseconds: 20 },
    streams,
    concurrency: streams,
    spacingMilliseconds: 8,
  };
  const samples = await inRounds(bench, 'processor time, paced', (contender, rig) => account(contender, rig, shape));
  return [
    {
      heading: 'Processor time, replies at a pace',
      about:
        `${shape.streams} streams at once, each of ${shape.reply.deltas} deltas of 20 characters, 20 ms apart. ` +
        'Processor time of the serving process per 1,000 deltas, all of a turn included.',
      columns: ['', 'times the floor', 'ms per 1,000 deltas', 'share of one core'],
      rows: comparison(samples, [timesFloor(cost), absolute(cost, 1), absolute(({ share }) => share, 2)]),
      goals: [
        { what: 'demo chat', value: medianRatio(samples, cost, 'demo', 'floor'), most: 1.35, unit: ' times the floor' },
        { what: 'live chat', value: medianRatio(samples, cost, 'live', 'floor'), most: 1.5, unit: ' times the floor' },
        {
          what: 'demo chat adds to the floor',
          value: medianShareOfAdded(samples, cost, 'demo', 'sdk'),
          most: 30,
          unit: '% of what the Anthropic SDK adds',
        },
        {
          what: 'live chat adds to the floor',
          value: medianShareOfAdded(samples, cost, 'live', 'sdk'),
          most: 40,
          unit: '% of what the Anthropic SDK adds',
        },
        { what: 'the AI SDK', value: medianRatio(samples, cost, 'aiSdk', 'demo'), least: 5, unit: ' times demo chat' },
        { what: 'the AI SDK', value: medianRatio(samples, cost, 'aiSdk', 'live'), least: 5, unit: ' times live chat' },
      ],
    },
  ];
};

/**
 * The same when nothing slows a reply down, and how many deltas pass in a second when the next request follows at once:
 * with each delta written by itself, as a provider does, and with the reply in one piece, where a turn's own cost shows.
 */
export const measureBurst: Measure = async (bench) => {
  const shape: LoadShape = {
    reply: { deltas: 200, deltaCharacters: 20, paceMilliseconds: 0 },
    streams: bench.quick ? 100 : 400,
    concurrency: 32,
    spacingMilliseconds: 0,
  };
  const inOnePiece: LoadShape = { ...shape, reply: { ...shape.reply, paceMilliseconds: 'in one piece' } };
  const columns = ['', 'times the floor', 'ms per 1,000 deltas', 'deltas per second'];
  const rowsOf = (samples: Samples<Account>) =>
    comparison(samples, [timesFloor(cost), absolute(cost, 1), absolute(({ deltasPerSecond }) => deltasPerSecond, 0)]);
  const burst = await inRounds(bench, 'processor time, burst', (contender, rig) => account(contender, rig, shape));
  const pieces = await inRounds(bench, 'processor time, in one piece', (contender, rig) =>
    account(contender, rig, inOnePiece),
  );
  return [
    {
      heading: 'Processor time and throughput, replies in a burst',
      about:
        `${shape.streams} replies of ${shape.reply.deltas} deltas of 20 characters, each delta written by the provider as soon as the one ` +
        `before, ${shape.concurrency} replies at a time, the next as soon as one has ended: the serving process is saturated.`,
      columns,
      rows: rowsOf(burst),
      goals: [
        { what: 'demo chat', value: medianRatio(burst, cost, 'demo', 'floor'), most: 1.3, unit: ' times the floor' },
      ],
    },
    {
      heading: 'Processor time and throughput, replies in one piece',
      about:
        'The same, with each reply a single write of the provider’s. Hardly anything is left of what a delta costs: this compares what ' +
        'the contenders do for a turn, from the request’s parsing to its log line.',
      columns,
      rows: rowsOf(pieces),
      goals: [
        { what: 'demo chat', value: medianRatio(pieces, cost, 'demo', 'floor'), most: 1.5, unit: ' times the floor' },
        { what: 'live chat', value: medianRatio(pieces, cost, 'live', 'floor'), most: 2, unit: ' times the floor' },
      ],
    },
  ];
};
