import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { routes } from '../../shared/interface.ts';
import { createAuthority } from '../../test/support/certificates.ts';
import type { Contender } from '../contenders/contenders.ts';
import { startProcess } from '../processes/start-process.ts';
import { quantile, showSpread, spreadOf } from '../report/spread.ts';
import type { Table } from '../report/table.ts';
import type { DistantProviderCalls } from '../request-path/distant-provider.ts';
import { type VariantName, variantNames, variants } from '../request-path/variants.ts';
import type { LoadShape, Rig, Run } from '../rig.ts';
import type { Bench, Measure } from './measure.ts';
import { rotated } from './rounds.ts';

/** What happens after a reply's end, such as its log line, belongs to its account. */
const afterwardsMilliseconds = 100;

/** Until both ends know that a connection is closed. */
const closingMilliseconds = 60;

type Variant = { name: VariantName; contender: Contender };
type Sample = Record<'firstText' | 'processor', number>;
type Samples = Record<VariantName, Sample[]>;
type Take = (contender: Contender, shape: LoadShape) => Promise<Sample>;

const short = { deltas: 200, deltaCharacters: 20, paceMilliseconds: 'in one piece' } as const;

/**
 * What each part of the way to the provider gains by itself, where that way is long: behind TLS and 30 ms of round trip, the
 * product as it is beside itself with one part done by a library.
 */
export const measureRequestPath: Measure = async (bench) => {
  const rig = await bench.rig();
  await using opened = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'advisory-chat-bench-tls-'));
  opened.defer(() => rm(directory, { recursive: true }));
  const authority = await createAuthority(directory, 'authority');
  const signed = await authority.sign('provider', ['IP:127.0.0.1']);
  const distant = startProcess<DistantProviderCalls>('bench/request-path/distant-provider.ts');
  opened.defer(distant.stop);
  const url = await distant.call('stand', { url: await rig.provider.call('url'), ...signed });

  const running = await Promise.all(
    variantNames.map(async (name): Promise<Variant> => {
      const trusted = { ANTHROPIC_BASE_URL: url, NODE_EXTRA_CA_CERTS: authority.certificate };
      const { modules } = variants[name];
      return { name, contender: await rig.start('demo', { modules, variables: trusted }) };
    }),
  );
  opened.defer(() => Promise.all(running.map(({ contender }) => contender.stop())).then(() => {}));

  const connected: Take = (contender, shape) => account(contender, rig, shape, afterwardsMilliseconds);

  /** The same with no connection open, as for a turn that comes minutes after the last one. */
  const unconnected: Take = async (contender, shape) => {
    await distant.call('closeConnections');
    await delay(closingMilliseconds);
    return account(contender, rig, shape, 20);
  };

  const tables: Table[] = [];
  const times = bench.quick ? 5 : 10;
  const parts: {
    heading: string;
    about: string;
    path: Contender['path'];
    take: Take;
    passes: number;
    shape: LoadShape;
  }[] = [];
  for (const [of, path] of [
    ['demo chat', routes.demoChat],
    ['live chat', routes.liveChat],
  ] as const) {
    parts.push({
      heading: `A turn that comes alone, ${of}`,
      about: `${times} turns in a round, one after the other, each with no connection open before it.`,
      path,
      take: unconnected,
      passes: times,
      shape: { reply: short, streams: 1, concurrency: 1, spacingMilliseconds: 0 },
    });
  }
  const turns = bench.quick ? 100 : 400;
  const deltas = bench.quick ? 100 : 200;
  parts.push({
    heading: 'Turns in a row, demo chat',
    about: `${turns} turns in a round, 16 at a time, each reply in one piece, over connections that are kept.`,
    path: routes.demoChat,
    take: connected,
    passes: 1,
    shape: { reply: short, streams: turns, concurrency: 16, spacingMilliseconds: 0 },
  });
  parts.push({
    heading: 'Replies at a pace, demo chat',
    about: `40 replies at once, each of ${deltas} deltas, 20 ms apart.`,
    path: routes.demoChat,
    take: connected,
    passes: 1,
    shape: {
      reply: { deltas, deltaCharacters: 20, paceMilliseconds: 20 },
      streams: 40,
      concurrency: 40,
      spacingMilliseconds: 10,
    },
  });
  for (const { path, take, passes, shape, heading, about } of parts) {
    const samples = await inTurn(bench, heading, running, passes, (contender) => take({ ...contender, path }, shape));
    tables.push(tableOf(samples, heading, about));
  }
  return tables;
};

/** In every round each variant has its turn so many times, one after the other. */
async function inTurn(
  { rounds, say }: Bench,
  what: string,
  running: readonly Variant[],
  passes: number,
  take: (contender: Contender) => Promise<Sample>,
): Promise<Samples> {
  const samples = Object.fromEntries(variantNames.map((name) => [name, []])) as unknown as Samples;
  for (let round = 0; round <= rounds; round += 1) {
    say(`${what}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`);
    const taken = new Map<VariantName, Sample[]>();
    for (let pass = 0; pass < passes; pass += 1) {
      for (const { name, contender } of rotated(running, round + pass)) {
        taken.set(name, [...(taken.get(name) ?? []), await take(contender)]);
      }
    }
    if (round > 0) for (const [name, of] of taken) samples[name].push(medianOf(of));
  }
  return samples;
}

function medianOf(samples: readonly Sample[]): Sample {
  const median = (of: keyof Sample) =>
    quantile(
      samples.map((sample) => sample[of]),
      0.5,
    );
  return { firstText: median('firstText'), processor: median('processor') };
}

/** Milliseconds to the first text, beyond the provider's own, and of the processor for each turn. */
async function account(contender: Contender, rig: Rig, shape: LoadShape, afterwards: number): Promise<Sample> {
  const before = await contender.call('cpu');
  const run = await rig.run(contender, shape);
  await delay(afterwards);
  const processor = ((await contender.call('cpu')) - before) / 1000 / shape.streams;
  return { firstText: quantile(addedToFirstText(run), 0.5), processor };
}

function addedToFirstText({ exchanges, sendings }: Run): number[] {
  return exchanges.map(({ stream, sentAt, receivedAt: [first] }) => {
    const sending = sendings.get(stream);
    const [spoken] = sending?.sentAt ?? [];
    if (sending === undefined || spoken === undefined || first === undefined) throw new Error('A time is missing.');
    return first - sentAt - (spoken - sending.arrivedAt);
  });
}

function tableOf(samples: Samples, heading: string, about: string): Table {
  const cells = (name: VariantName, of: keyof Sample, digits: number) => {
    const own = samples[name].map((sample) => sample[of]);
    const times = own.map((value, round) => value / (samples.product[round]?.[of] ?? Number.NaN));
    return [showSpread(spreadOf(own), digits), name === 'product' ? '1' : showSpread(spreadOf(times), 3)];
  };
  return {
    heading,
    about,
    columns: ['', 'first text, ms', 'times the product', 'processor time of a turn, ms', 'times the product'],
    rows: variantNames.map((name) => [
      variants[name].label,
      ...cells(name, 'firstText', 1),
      ...cells(name, 'processor', 2),
    ]),
  };
}
