import { setTimeout as delay } from 'node:timers/promises';
import { type Figure, type Goal, medianDifference, medianRatio, printed, quantile, type Samples } from './report.ts';
import { type Contender, contenderNames, type LoadShape, type Rig, type Run } from './rig.ts';

export type Bench = {
  /** how many rounds count */
  rounds: number;
  rig: Rig;
  /** says what is under way */
  say(progress: string): void;
};

/** What happens after a reply's end, such as its log line, belongs to its account. */
const afterwardsMilliseconds = 100;
/** What it takes to begin many replies, or to leave them, belongs to nobody who comes afterwards. */
const restMilliseconds = 1000;
/** A live turn asks for its session, its limit and its conversation before the provider. */
const liveRoundTripsMilliseconds = 0.6;
/** Each memory is that of a new process, which takes long. */
const memoryRounds = 2;

/** The measures by the name with which one asks for them; each gives a section of a Markdown document. */
export const measures: Record<string, (bench: Bench) => Promise<string>> = {
  paced: measurePaced,
  piece: measureInOnePiece,
  'first-text-10': (bench) => measureFirstText(bench, 10),
  'first-text-500': (bench) => measureFirstText(bench, 500),
  memory: measureMemory,
};

const noSamples = <T>(): Samples<T> => ({ floor: [], demo: [], live: [], sdk: [], aiSdk: [] });

/** Round after round, each beginning with another one, so that a machine whose speed drifts drifts for all of them. */
const rotated = <T>(items: readonly T[], by: number): T[] => [
  ...items.slice(by % items.length),
  ...items.slice(0, by % items.length),
];

/** Takes `sample` of every contender in turn in each round. The first round warms up and does not count. */
async function inRounds<T>(
  { rounds, say, rig }: Bench,
  what: string,
  sample: (contender: Contender) => Promise<T>,
): Promise<Samples<T>> {
  const running = await Promise.all(contenderNames.map(rig.start));
  const samples = noSamples<T>();
  try {
    for (let round = 0; round <= rounds; round += 1) {
      say(`${what}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`);
      for (const contender of rotated(running, round)) {
        const taken = await sample(contender);
        if (round > 0) samples[contender.name].push(taken);
      }
    }
  } finally {
    await Promise.all(running.map(({ stop }) => stop()));
  }
  return samples;
}

type MostOfSdk = { demo: number; live: number };

/** Goals of demo and live chat: at most so many times what the Anthropic SDK takes in the same round. */
const timesSdk = <T>(samples: Samples<T>, figure: Figure<T>, most: MostOfSdk): Goal[] =>
  (['demo', 'live'] as const).map((name) => ({
    what: `${name} chat`,
    value: medianRatio(samples, figure, name, 'sdk'),
    most: most[name],
    unit: ' times the Anthropic SDK',
  }));

const cost: Figure<number> = { column: 'ms per 1,000 deltas', value: (milliseconds) => milliseconds, digits: 1 };

/** The processor time of the serving process while it serves a load, in milliseconds for 1,000 deltas. */
async function account(contender: Contender, rig: Rig, shape: LoadShape): Promise<number> {
  const before = await contender.call('cpu');
  await rig.run(contender, shape);
  await delay(afterwardsMilliseconds);
  const microseconds = (await contender.call('cpu')) - before;
  return microseconds / (shape.streams * shape.reply.deltas);
}

/** Replies that come at a model's pace. */
async function measurePaced(bench: Bench): Promise<string> {
  // So few that nobody is saturated: who falls behind finds several deltas in a packet, and looks cheaper than it is.
  const streams = 50;
  const shape: LoadShape = {
    reply: { deltas: 200, deltaCharacters: 20, paceMilliseconds: 20 },
    streams,
    concurrency: streams,
    spacingMilliseconds: 8,
  };
  const samples = await inRounds(bench, 'processor time, paced', (contender) => account(contender, bench.rig, shape));
  return printed({
    heading: 'Processor time, replies at a pace',
    about:
      `${streams} streams at once, each of ${shape.reply.deltas} deltas of 20 characters, 20 ms apart. ` +
      'Processor time of the serving process, all of a turn included.',
    samples,
    figures: [cost],
    goals: timesSdk(samples, cost, { demo: 1, live: 1 }),
  });
}

/** The same with each reply in one piece, where a turn's own cost shows. */
async function measureInOnePiece(bench: Bench): Promise<string> {
  const shape: LoadShape = {
    reply: { deltas: 200, deltaCharacters: 20, paceMilliseconds: 'in one piece' },
    streams: 400,
    concurrency: 32,
    spacingMilliseconds: 0,
  };
  const samples = await inRounds(bench, 'in one piece', (contender) => account(contender, bench.rig, shape));
  return printed({
    heading: 'Processor time, replies in one piece',
    about:
      `${shape.streams} replies of ${shape.reply.deltas} deltas of 20 characters, each a single write of the provider’s, ` +
      `${shape.concurrency} at a time: what the contenders do for a turn.`,
    samples,
    figures: [cost],
    goals: timesSdk(samples, cost, { demo: 1, live: 1.3 }),
  });
}

/** What a reader waits for beyond the provider, who comes when `open` streams are under way. */
async function measureFirstText(bench: Bench, open: number): Promise<string> {
  const { rig } = bench;
  const comers = 100;
  // Longer than the run: those who are there first stay to its end.
  const reply = { deltas: 100, deltaCharacters: 20, paceMilliseconds: 200 };
  const samples = await inRounds(bench, `first text, ${open} streams`, async (contender) => {
    const there = await rig.flow(contender, { reply, streams: open, concurrency: open, spacingMilliseconds: 8 });
    await delay(restMilliseconds);
    const coming = await rig.flow(contender, { reply, streams: comers, concurrency: comers, spacingMilliseconds: 20 });
    coming.leave();
    there.leave();
    const added = addedMilliseconds(await coming.finished);
    await there.finished;
    await delay(restMilliseconds);
    return { p50: quantile(added, 0.5), p99: quantile(added, 0.99) };
  });
  type Wait = { p50: number; p99: number };
  const p50: Figure<Wait> = { column: 'p50, ms', value: (sample) => sample.p50, digits: 1 };
  const beyondSdk = (name: 'demo' | 'live', most: number): Goal => ({
    what: `${name} chat, p50`,
    value: medianDifference(samples, p50, name, 'sdk'),
    most,
    unit: ' ms more than the Anthropic SDK',
  });
  return printed({
    heading: `Added time to first text, ${open} streams open`,
    about: `${open} streams are under way, each with a delta every 200 ms; ${comers} more requests come, one every 20 ms.`,
    samples,
    figures: [p50, { column: 'p99, ms', value: (sample) => sample.p99, digits: 1 }],
    goals: [beyondSdk('demo', 0), beyondSdk('live', liveRoundTripsMilliseconds)],
  });
}

/** Milliseconds beyond the provider's own until the first text of each request. */
function addedMilliseconds({ exchanges, sendings }: Run): number[] {
  return exchanges.map(({ stream, sentAt, firstTextAt }) => {
    const { firstSentAt = Number.NaN, arrivedAt = Number.NaN } = sendings.get(stream) ?? {};
    return firstTextAt - sentAt - (firstSentAt - arrivedAt);
  });
}

/** What a process holds for each stream that is open, beyond what it holds when it is idle. */
async function measureMemory({ rounds, rig, say }: Bench): Promise<string> {
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
  type Held = { asItStands: number; collected: number };
  const samples = noSamples<Held>();
  const counted = Math.min(rounds, memoryRounds);
  for (let round = 1; round <= counted; round += 1) {
    say(`memory: round ${round} of ${counted}`);
    for (const name of rotated(contenderNames, round)) {
      // A process keeps the pages that it once had: each round has new ones.
      const contender = await rig.start(name);
      await rig.run(contender, warmUp);
      const idle = await contender.call('memory');
      const { finished, leave } = await rig.flow(contender, shape);
      const busy = await contender.call('memory');
      leave();
      await finished;
      await contender.stop();
      const each = (bytes: number) => (bytes - idle.resident) / streams / 1024;
      samples[name].push({ asItStands: each(busy.asItStands), collected: each(busy.resident) });
    }
  }
  const figures: [Figure<Held>, Figure<Held>] = [
    { column: 'as it stands, KiB', value: ({ asItStands }) => asItStands, digits: 0 },
    { column: 'collected, KiB', value: ({ collected }) => collected, digits: 0 },
  ];
  return printed({
    heading: `Memory of each of ${streams.toLocaleString('en')} open streams`,
    about:
      'What a process has beyond what it had when idle, for each stream: as it stands, and after garbage was collected.',
    samples,
    figures,
    goals: timesSdk(samples, figures[0], { demo: 0.5, live: 0.5 }),
  });
}
