import { setTimeout as delay } from 'node:timers/promises';
import {
  type Figure,
  formatSection,
  type Goal,
  medianDifference,
  medianRatio,
  quantile,
  type Samples,
} from './report.ts';
import type { Contender, ContenderName, LoadShape, Rig, Run } from './rig.ts';

export type Bench = {
  rounds: number;
  contenders: readonly ContenderName[];
  rig: Rig;
  logProgress(progress: string): void;
};

/** Work after the end of a reply, such as its log line, counts as part of the reply. */
const settlingMilliseconds = 100;
/** Separates a measurement from the work of starting or aborting many replies before it. */
const pauseMilliseconds = 1000;
/** A live turn queries its session, its limit and its conversation before it calls the provider. */
const liveRoundTripsMilliseconds = 0.6;

/** Each measure returns a section of Markdown. The keys are the names that `--only` accepts. */
export const measures: Record<string, (bench: Bench) => Promise<string>> = {
  paced: measurePaced,
  piece: measureInOnePiece,
  'first-text-10': (bench) => measureFirstText(bench, 10),
  'first-text-500': (bench) => measureFirstText(bench, 500),
  memory: measureMemory,
};

const noSamples = <T>(): Samples<T> => ({ floor: [], demo: [], live: [], conventional: [], sdk: [], aiSdk: [] });

/** Each round starts with a different contender, so that a drift in the machine's speed affects all of them. */
const rotated = <T>(items: readonly T[], by: number): T[] => [
  ...items.slice(by % items.length),
  ...items.slice(0, by % items.length),
];

/** Calls `sample` for every contender in each round. The first round is a warm-up and is discarded. */
async function sampleInRounds<T>(
  { rounds, contenders, logProgress, rig }: Bench,
  label: string,
  sample: (contender: Contender) => Promise<T>,
): Promise<Samples<T>> {
  const running = await Promise.all(contenders.map(rig.start));
  const samples = noSamples<T>();
  try {
    for (let round = 0; round <= rounds; round += 1) {
      logProgress(`${label}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`);
      for (const contender of rotated(running, round)) {
        const value = await sample(contender);
        if (round > 0) samples[contender.name].push(value);
      }
    }
  } finally {
    await Promise.all(running.map(({ stop }) => stop()));
  }
  return samples;
}

type MaxRatios = { demo: number; live: number };

const comparableWithSdk = ({ contenders }: Bench) =>
  (['demo', 'live'] as const).filter((name) => contenders.includes(name) && contenders.includes('sdk'));

/** Returns goals for demo and live chat as multiples of the Anthropic SDK's figure in the same round. */
const goalsByRatio = <T>(bench: Bench, samples: Samples<T>, figure: Figure<T>, max: MaxRatios): Goal[] =>
  comparableWithSdk(bench).map((name) => ({
    label: `${name} chat`,
    value: medianRatio(samples, figure, name, 'sdk'),
    max: max[name],
    unit: ' times the Anthropic SDK',
  }));

const cost: Figure<number> = { column: 'ms per 1,000 deltas', value: (milliseconds) => milliseconds, digits: 1 };

/** Measures the CPU time of the serving process for a load, in milliseconds per 1,000 deltas. */
async function cpuPerThousandDeltas(contender: Contender, rig: Rig, shape: LoadShape): Promise<number> {
  const before = await contender.call('cpu');
  await rig.run(contender, shape);
  await delay(settlingMilliseconds);
  const microseconds = (await contender.call('cpu')) - before;
  return microseconds / (shape.streams * shape.reply.deltas);
}

async function measurePaced(bench: Bench): Promise<string> {
  // No contender may be saturated: one that falls behind reads several deltas per packet and looks cheaper than it is.
  const streams = 50;
  const shape: LoadShape = {
    reply: { deltas: 200, deltaCharacters: 20, paceMilliseconds: 20 },
    streams,
    concurrency: streams,
    spacingMilliseconds: 8,
  };
  const samples = await sampleInRounds(bench, 'CPU time, paced', (contender) =>
    cpuPerThousandDeltas(contender, bench.rig, shape),
  );
  return formatSection({
    heading: 'CPU time, paced replies',
    about:
      `${streams} streams at once, each of ${shape.reply.deltas} deltas of 20 characters, 20 ms apart. ` +
      'CPU time of the serving process for complete turns.',
    samples,
    figures: [cost],
    goals: goalsByRatio(bench, samples, cost, { demo: 1, live: 1 }),
  });
}

/** Measures short turns: with each reply in a single write, the cost of a turn dominates the cost of its deltas. */
async function measureInOnePiece(bench: Bench): Promise<string> {
  const shape: LoadShape = {
    reply: { deltas: 200, deltaCharacters: 20, paceMilliseconds: 'in one piece' },
    streams: 400,
    concurrency: 32,
    spacingMilliseconds: 0,
  };
  const samples = await sampleInRounds(bench, 'in one piece', (contender) =>
    cpuPerThousandDeltas(contender, bench.rig, shape),
  );
  return formatSection({
    heading: 'CPU time, replies in one piece',
    about:
      `${shape.streams} replies of ${shape.reply.deltas} deltas of 20 characters, each sent by the provider in a single write, ` +
      `${shape.concurrency} at a time: the cost of a turn.`,
    samples,
    figures: [cost],
    goals: goalsByRatio(bench, samples, cost, { demo: 1, live: 1.3 }),
  });
}

/** Measures the time that a contender adds to the provider's time to first text while `open` streams are in progress. */
async function measureFirstText(bench: Bench, open: number): Promise<string> {
  const { rig } = bench;
  const newStreams = 100;
  // Replies are longer than a run, so that the background streams last until its end.
  const reply = { deltas: 100, deltaCharacters: 20, paceMilliseconds: 200 };
  const samples = await sampleInRounds(bench, `first text, ${open} streams`, async (contender) => {
    const background = await rig.startStreams(contender, {
      reply,
      streams: open,
      concurrency: open,
      spacingMilliseconds: 8,
    });
    await delay(pauseMilliseconds);
    const measured = await rig.startStreams(contender, {
      reply,
      streams: newStreams,
      concurrency: newStreams,
      spacingMilliseconds: 20,
    });
    measured.disconnect();
    background.disconnect();
    const added = addedMilliseconds(await measured.finished);
    await background.finished;
    await delay(pauseMilliseconds);
    return { p50: quantile(added, 0.5), p99: quantile(added, 0.99) };
  });
  type Wait = { p50: number; p99: number };
  const p50: Figure<Wait> = { column: 'p50, ms', value: (sample) => sample.p50, digits: 1 };
  const max = { demo: 0, live: liveRoundTripsMilliseconds };
  const goals = comparableWithSdk(bench).map((name) => ({
    label: `${name} chat, p50`,
    value: medianDifference(samples, p50, name, 'sdk'),
    max: max[name],
    unit: ' ms more than the Anthropic SDK',
  }));
  return formatSection({
    heading: `Added time to first text, ${open} streams open`,
    about: `${open} streams are open, each with a delta every 200 ms. ${newStreams} more requests arrive, one every 20 ms.`,
    samples,
    figures: [p50, { column: 'p99, ms', value: (sample) => sample.p99, digits: 1 }],
    goals,
  });
}

/** Returns the milliseconds until the first text of each request, minus those of the provider. */
function addedMilliseconds({ exchanges, replyTimes }: Run): number[] {
  return exchanges.map(({ stream, sentAt, firstTextAt }) => {
    const { firstSentAt = Number.NaN, arrivedAt = Number.NaN } = replyTimes.get(stream) ?? {};
    return firstTextAt - sentAt - (firstSentAt - arrivedAt);
  });
}

/** Measures the memory of a process per open stream, minus its memory when idle. */
async function measureMemory(bench: Bench): Promise<string> {
  const { rounds, contenders, rig, logProgress } = bench;
  const warmUp: LoadShape = {
    reply: { deltas: 50, deltaCharacters: 20, paceMilliseconds: 5 },
    streams: 200,
    concurrency: 20,
    spacingMilliseconds: 0,
  };
  const streams = 1000;
  const shape: LoadShape = {
    reply: { deltas: 60, deltaCharacters: 20, paceMilliseconds: 500 },
    streams,
    concurrency: streams,
    spacingMilliseconds: 2,
  };
  type Memory = { beforeCollection: number; afterCollection: number };
  const samples = noSamples<Memory>();
  for (let round = 1; round <= rounds; round += 1) {
    logProgress(`memory: round ${round} of ${rounds}`);
    for (const name of rotated(contenders, round)) {
      // A process does not return all pages that it has used, so each round starts new processes.
      const contender = await rig.start(name);
      await rig.run(contender, warmUp);
      const idle = await contender.call('memory');
      const { finished, disconnect } = await rig.startStreams(contender, shape);
      const busy = await contender.call('memory');
      disconnect();
      await finished;
      await contender.stop();
      const perStream = (bytes: number) => (bytes - idle.afterCollection) / streams / 1024;
      samples[name].push({
        beforeCollection: perStream(busy.beforeCollection),
        afterCollection: perStream(busy.afterCollection),
      });
    }
  }
  const figures: [Figure<Memory>, Figure<Memory>] = [
    { column: 'before collection, KiB', value: ({ beforeCollection }) => beforeCollection, digits: 0 },
    { column: 'after collection, KiB', value: ({ afterCollection }) => afterCollection, digits: 0 },
  ];
  return formatSection({
    heading: `Memory per stream, ${streams.toLocaleString('en')} streams open`,
    about: 'Memory of a process per open stream, minus its memory when idle, before and after garbage collection.',
    samples,
    figures,
    goals: goalsByRatio(bench, samples, figures[0], { demo: 0.5, live: 0.5 }),
  });
}
