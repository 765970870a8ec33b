import { contenderNames } from '../contenders/contenders.ts';
import { absolute, comparison, median } from '../report/comparison.ts';
import type { LoadShape } from '../rig.ts';
import type { Measure } from './measure.ts';
import { emptySamples, rotated } from './rounds.ts';

const warmUp: LoadShape = {
  reply: { deltas: 50, deltaCharacters: 20, paceMilliseconds: 5 },
  streams: 200,
  concurrency: 20,
  spacingMilliseconds: 0,
};

/** What a process holds for each stream that is open, beyond what it holds when it is idle. */
export const measureMemory: Measure = async ({ quick, rounds, rig: open, say }) => {
  const rig = await open();
  const streams = quick ? 200 : 1000;
  const samples = emptySamples<{ asItStands: number; resident: number; held: number }>();
  const shape: LoadShape = {
    reply: { deltas: 60, deltaCharacters: 20, paceMilliseconds: 500 },
    streams,
    concurrency: streams,
    spacingMilliseconds: 2,
  };

  for (let round = 1; round <= rounds; round += 1) {
    say(`memory: round ${round} of ${rounds}`);
    for (const name of rotated(contenderNames, round)) {
      // A process keeps the pages that it once had: each round has new ones.
      const contender = await rig.start(name);
      await rig.run(contender, warmUp);
      const idle = await contender.call('memory');
      const { finished, leave } = await rig.flow(contender, shape);
      const busy = await contender.call('memory');
      await leave();
      await finished;
      await contender.stop();
      const each = (bytes: number) => bytes / streams / 1024;
      samples[name].push({
        asItStands: each(busy.asItStands - idle.resident),
        resident: each(busy.resident - idle.resident),
        held: each(busy.held - idle.held),
      });
    }
  }
  return [
    {
      heading: `Memory of each of ${streams.toLocaleString('en')} open streams`,
      about:
        'A new process, warmed up; then that many streams open and flowing. What the process has beyond what it had when idle, ' +
        'for each stream, in KiB: as it stands, garbage included; after garbage was collected; and of that what JavaScript holds.',
      columns: ['', 'as it stands, KiB', 'collected, KiB', 'held by JavaScript, KiB'],
      rows: comparison(samples, [
        absolute(({ asItStands }) => asItStands, 0),
        absolute(({ resident }) => resident, 0),
        absolute(({ held }) => held, 0),
      ]),
      goals: [
        {
          what: 'live chat, as it stands',
          value: median(samples, ({ asItStands }) => asItStands, 'live'),
          most: 90,
          unit: ' KiB',
        },
        {
          what: 'live chat, collected',
          value: median(samples, ({ resident }) => resident, 'live'),
          most: 90,
          unit: ' KiB',
        },
      ],
    },
  ];
};
