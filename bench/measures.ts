import { setTimeout as delay } from 'node:timers/promises';
import {
  absolute,
  comparison,
  medianRatio,
  medianShareOfAdded,
  quantile,
  type Samples,
  type Table,
  timesFloor,
} from './report.ts';
import { type Contender, contenderNames, type LoadShape, type Rig, type Run } from './rig.ts';

/** What a measure is given. */
export type Bench = {
  quick: boolean;
  /** how many rounds count */
  rounds: number;
  rig: Rig;
  /** says what is under way */
  say(progress: string): void;
};

/** What happens after a reply's end, such as its log line, belongs to its account. */
const afterwardsMilliseconds = 100;
/** What those who left before a reply's end leave behind is not the next contender's. */
const aftermathMilliseconds = 1000;
/** Each memory is that of a new process, which takes long. */
const memoryRounds = 2;

/** The measures by the name with which one asks for them. */
export const measures: Record<string, (bench: Bench) => Promise<Table>> = {
  paced: measurePaced,
  piece: measureInOnePiece,
  'first-text-10': (bench) => measureFirstText(bench, 10),
  'first-text-500': (bench) => measureFirstText(bench, bench.quick ? 100 : 500),
  memory: measureMemory,
};

/**
 * Takes `sample` of every contender in turn, round after round, each round beginning with another one, so that a machine
 * whose speed drifts drifts for all of them. The first round warms up and does not count.
 */
async function inRounds<T>(
  { rounds, say, rig }: Bench,
  what: string,
  sample: (contender: Contender) => Promise<T>,
): Promise<Samples<T>> {
  const running = await Promise.all(contenderNames.map(rig.start));
  const samples = emptySamples<T>();
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

function emptySamples<T>(): Samples<T> {
  return { floor: [], demo: [], live: [], sdk: [], aiSdk: [] };
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

type Account = { millisecondsPerThousand: number; deltasPerSecond: number };

const cost = ({ millisecondsPerThousand }: Account) => millisecondsPerThousand;

async function account(contender: Contender, rig: Rig, shape: LoadShape): Promise<Account> {
  const before = await contender.call('cpu');
  const { elapsedMilliseconds } = await rig.run(contender, shape);
  await delay(afterwardsMilliseconds);
  const cpuMicroseconds = (await contender.call('cpu')) - before;
  const deltas = shape.streams * shape.reply.deltas;
  return {
    millisecondsPerThousand: cpuMicroseconds / deltas,
    deltasPerSecond: deltas / (elapsedMilliseconds / 1000),
  };
}

/** The processor time of the serving process, when replies come at a model's pace. */
async function measurePaced(bench: Bench): Promise<Table> {
  // So few that nobody is saturated: who falls behind finds several deltas in a packet, and looks cheaper than it is.
  const streams = 50;
  const shape: LoadShape = {
    reply: { deltas: bench.quick ? 100 : 200, deltaCharacters: 20, paceMilliseconds: 20 },
    streams,
    concurrency: streams,
    spacingMilliseconds: 8,
  };
  const samples = await inRounds(bench, 'processor time, paced', (contender) => account(contender, bench.rig, shape));
  const times = (name: 'demo' | 'live') => medianRatio(samples, cost, name, 'floor');
  const added = (name: 'demo' | 'live') => medianShareOfAdded(samples, cost, name, 'sdk');
  const ofAdded = '% of what the Anthropic SDK adds';
  return {
    heading: 'Processor time, replies at a pace',
    about:
      `${streams} streams at once, each of ${shape.reply.deltas} deltas of 20 characters, 20 ms apart. ` +
      'Processor time of the serving process per 1,000 deltas, all of a turn included.',
    columns: ['', 'times the floor', 'ms per 1,000 deltas'],
    rows: comparison(samples, [timesFloor(cost), absolute(cost, 1)]),
    goals: [
      { what: 'demo chat', value: times('demo'), most: 1.35, unit: ' times the floor' },
      { what: 'live chat', value: times('live'), most: 1.5, unit: ' times the floor' },
      { what: 'demo chat adds to the floor', value: added('demo'), most: 30, unit: ofAdded },
      { what: 'live chat adds to the floor', value: added('live'), most: 40, unit: ofAdded },
      { what: 'the AI SDK', value: medianRatio(samples, cost, 'aiSdk', 'demo'), least: 5, unit: ' times demo chat' },
      { what: 'the AI SDK', value: medianRatio(samples, cost, 'aiSdk', 'live'), least: 5, unit: ' times live chat' },
    ],
  };
}

/** The same with each reply in one piece, where a turn's own cost shows. */
async function measureInOnePiece(bench: Bench): Promise<Table> {
  const shape: LoadShape = {
    reply: { deltas: 200, deltaCharacters: 20, paceMilliseconds: 'in one piece' },
    streams: bench.quick ? 100 : 400,
    concurrency: 32,
    spacingMilliseconds: 0,
  };
  const samples = await inRounds(bench, 'in one piece', (contender) => account(contender, bench.rig, shape));
  const times = (name: 'demo' | 'live') => medianRatio(samples, cost, name, 'floor');
  return {
    heading: 'Processor time and throughput, replies in one piece',
    about:
      `${shape.streams} replies of ${shape.reply.deltas} deltas of 20 characters, each a single write of the provider’s, ` +
      `${shape.concurrency} at a time. Hardly anything is left of what a delta costs: this compares what the contenders do for a turn.`,
    columns: ['', 'times the floor', 'ms per 1,000 deltas', 'deltas per second'],
    rows: comparison(samples, [
      timesFloor(cost),
      absolute(cost, 1),
      absolute(({ deltasPerSecond }) => deltasPerSecond, 0),
    ]),
    goals: [
      { what: 'demo chat', value: times('demo'), most: 1.5, unit: ' times the floor' },
      { what: 'live chat', value: times('live'), most: 2, unit: ' times the floor' },
    ],
  };
}

/** What a reader waits for beyond the provider, who comes when `open` streams are under way. */
async function measureFirstText(bench: Bench, open: number): Promise<Table> {
  const { rig } = bench;
  const comers = bench.quick ? 50 : 100;
  const shape: LoadShape = {
    // Longer than the run: those who fill up stay to its end.
    reply: { deltas: 100, deltaCharacters: 20, paceMilliseconds: 200 },
    streams: open + comers,
    concurrency: open + comers,
    spacingMilliseconds: 20,
    fill: { streams: open, milliseconds: open * 8 },
  };
  const samples = await inRounds(bench, `first text, ${open} streams`, async (contender) => {
    const { finished, leave } = await rig.flow(contender, shape);
    await leave();
    const added = addedMilliseconds(await finished, open);
    await delay(aftermathMilliseconds);
    return { p50: quantile(added, 0.5), p99: quantile(added, 0.99) };
  });
  const p50 = (sample: { p50: number }) => sample.p50;
  const live = quantile(samples.live.map(p50), 0.5);
  const demo = medianRatio(samples, p50, 'demo', 'floor');
  return {
    heading: `Added time to first text, ${open} streams open`,
    about:
      `${open} streams are under way, each with a delta every 200 ms; ${comers} more requests come, one every 20 ms, whether or not ` +
      'those before were answered. From the end of the request to its first text, less what the provider took, of those that came.',
    columns: ['', 'p50, times the floor', 'p50, ms', 'p99, ms'],
    rows: comparison(samples, [timesFloor(p50), absolute(p50, 1), absolute((sample) => sample.p99, 1)]),
    goals: [
      { what: 'demo chat, p50', value: demo, most: 1.5, unit: ' times the floor' },
      { what: 'live chat, p50', value: live, most: 6, unit: ' ms' },
    ],
  };
}

/** Milliseconds beyond the provider's own until the first text, of the requests after the first `open`. */
function addedMilliseconds({ exchanges, sendings }: Run, open: number): number[] {
  const first = Math.min(...exchanges.map(({ stream }) => stream));
  return exchanges
    .filter(({ stream }) => stream - first >= open)
    .map(({ stream, sentAt, receivedAt: [receivedAt = Number.NaN] }) => {
      const { arrivedAt, sentAt: [providerSentAt = Number.NaN] = [] } = sendings.get(stream) ?? {
        arrivedAt: Number.NaN,
      };
      return receivedAt - sentAt - (providerSentAt - arrivedAt);
    });
}

/** What a process holds for each stream that is open, beyond what it holds when it is idle. */
async function measureMemory({ quick, rounds, rig, say }: Bench): Promise<Table> {
  const warmUp: LoadShape = {
    reply: { deltas: 50, deltaCharacters: 20, paceMilliseconds: 5 },
    streams: 200,
    concurrency: 20,
    spacingMilliseconds: 0,
  };
  const streams = quick ? 200 : 1000;
  const shape: LoadShape = {
    reply: { deltas: 60, deltaCharacters: 20, paceMilliseconds: 500 },
    streams,
    concurrency: streams,
    spacingMilliseconds: 2,
  };
  const samples = emptySamples<{ asItStands: number; collected: number }>();
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
      await leave();
      await finished;
      await contender.stop();
      const each = (bytes: number) => bytes / streams / 1024;
      samples[name].push({
        asItStands: each(busy.asItStands - idle.resident),
        collected: each(busy.resident - idle.resident),
      });
    }
  }
  const asItStands = (sample: { asItStands: number }) => sample.asItStands;
  const collected = (sample: { collected: number }) => sample.collected;
  const live = (value: (sample: { asItStands: number; collected: number }) => number) =>
    quantile(samples.live.map(value), 0.5);
  return {
    heading: `Memory of each of ${streams.toLocaleString('en')} open streams`,
    about:
      'A new process, warmed up; then that many streams open and flowing. What the process has beyond what it had when idle, ' +
      'for each stream: as it stands, garbage included, and after garbage was collected.',
    columns: ['', 'times the floor', 'as it stands, KiB', 'collected, KiB'],
    rows: comparison(samples, [timesFloor(asItStands), absolute(asItStands, 0), absolute(collected, 0)]),
    goals: [
      { what: 'live chat, as it stands', value: live(asItStands), most: 90, unit: ' KiB' },
      { what: 'live chat, collected', value: live(collected), most: 90, unit: ' KiB' },
    ],
  };
}
