import { quantile } from '../report/spread.ts';
import type { LoadShape } from '../rig.ts';
import type { Measure } from './measure.ts';

/** Far more streams at once than one would plan for: none may fail. */
export const measureManyStreams: Measure = async ({ quick, rig: open, say }) => {
  const rig = await open();
  const streams = quick ? 1000 : 5000;
  const reply = { deltas: quick ? 10 : 20, deltaCharacters: 20, paceMilliseconds: 1000 };
  const shape: LoadShape = { reply, streams, concurrency: streams, spacingMilliseconds: 3 };
  say(`${streams} streams`);

  const contender = await rig.start('demo');
  await contender.call('watchLoop');
  const idle = await contender.call('memory');
  const { finished } = await rig.flow(contender, shape);
  const loop = await contender.call('loopDelay');
  const busy = await contender.call('memory');
  const run = await finished;
  await contender.stop();

  const starts = run.exchanges.map(({ sentAt }) => sentAt);
  const ends = run.exchanges.map(({ receivedAt }) => receivedAt.at(-1) ?? 0);
  const together = quantile(starts, 1) < quantile(ends, 0);
  const latencies = run.exchanges.flatMap(({ stream, receivedAt }) => {
    const sentAt = run.sendings.get(stream)?.sentAt ?? [];
    return Array.from(receivedAt, (time, index) => time - (sentAt[index] ?? Number.NaN));
  });
  const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
  return [
    {
      heading: `${streams.toLocaleString('en')} demo streams on one process`,
      about: `Each of ${reply.deltas} deltas, a second apart; ${together ? 'all of them open at the same time' : 'not all of them at the same time'}. Every byte and every chunk was checked. \`MAX_STREAMS_DEMO\` was 5000.`,
      columns: ['', 'measured'],
      rows: [
        ['requests that failed', `${run.failed} of ${streams}`],
        [
          'chunks that were right',
          `${latencies.length.toLocaleString('en')} of ${(streams * reply.deltas).toLocaleString('en')}`,
        ],
        [
          'added latency of a delta, p50 and p99',
          `${quantile(latencies, 0.5).toFixed(1)} ms, ${quantile(latencies, 0.99).toFixed(1)} ms`,
        ],
        [
          'event loop late, p50, p99, longest',
          `${[loop.p50, loop.p99, loop.most].map((late) => late.toFixed(1)).join(', ')} ms`,
        ],
        [
          'memory of the process, idle and with all of them open',
          `${mebibytes(idle.resident)}, ${mebibytes(busy.resident)}`,
        ],
      ],
    },
  ];
};
