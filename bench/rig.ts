import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { type Additions, type Contender, type ContenderName, startContender } from './contenders/contenders.ts';
import { createOwnDatabase } from './contenders/own-database.ts';
import { signInVisitors } from './contenders/visitors.ts';
import type { LoadCalls, LoadPlan, LoadResult } from './load/main.ts';
import { startProcess } from './processes/start-process.ts';
import type { ProviderCalls, Sending } from './provider/main.ts';

const secret = 'a secret that only this measurement knows';

export type LoadShape = Pick<LoadPlan, 'reply' | 'streams' | 'concurrency' | 'spacingMilliseconds' | 'fill'>;

/** A run of load with what both ends noted; `sendings` are by the number of the request. */
export type Run = LoadResult & { sendings: Map<number, Sending> };

export type Rig = Awaited<ReturnType<typeof openRig>>;

/** Provider, load client, database and people: everything that the contenders are measured with, each in its own process. */
export async function openRig({ visitors }: { visitors: number }) {
  await using opened = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'advisory-chat-bench-'));
  opened.defer(() => rm(directory, { recursive: true }));
  const database = await createOwnDatabase(required('TEST_DATABASE_URL'));
  opened.defer(database.drop);
  const product = { DATABASE_URL: database.url, REDIS_URL: required('TEST_REDIS_URL'), SESSION_SECRET: secret };

  const provider = startProcess<ProviderCalls>('bench/provider/main.ts');
  opened.defer(provider.stop);
  const load = startProcess<LoadCalls>('bench/load/main.ts');
  opened.defer(load.stop);
  const providerUrl = await provider.call('url');
  const cookies = await signInVisitors(visitors, { databaseUrl: database.url, secret });
  await load.call('invite', cookies);

  let asked = 0;

  /** Sends load to one contender; `finished` rejects where a reply was not right, byte for byte and chunk for chunk. */
  async function begin({ port, path, label, log }: Contender, shape: LoadShape): Promise<{ finished: Promise<Run> }> {
    await provider.call('speak', shape.reply);
    const running = load.call('run', { ...shape, port, path, first: asked });
    asked += shape.streams;
    return { finished: running.then(checked) };

    async function checked(result: LoadResult): Promise<Run> {
      if (result.failed > 0) {
        const lastLines = (await readFile(log, 'utf8')).trimEnd().split('\n').slice(-5);
        const failed = `${label} failed ${result.failed} of ${shape.streams} requests`;
        throw new Error([`${failed}:`, ...result.failures, 'The end of its log:', ...lastLines].join('\n'));
      }
      const sendings = await provider.call('sendings');
      return { ...result, sendings: new Map(sendings.map((sending) => [sending.stream, sending])) };
    }
  }

  const parts = opened.move();
  return {
    provider,
    load,
    cookies,
    product,

    start(name: ContenderName, additions?: Additions): Promise<Contender> {
      return startContender(name, { providerUrl, product, log: join(directory, `${name}.log`) }, additions);
    },

    run: async (contender: Contender, shape: LoadShape): Promise<Run> => (await begin(contender, shape)).finished,

    /** Sends load as `run` does, and resolves as soon as every stream has had its first text. */
    async flow(contender: Contender, shape: LoadShape) {
      const { finished } = await begin(contender, shape);
      while ((await load.call('flowing')) < shape.streams) await Promise.race([delay(50), finished]);
      return { finished, leave: () => load.call('leave') };
    },

    close: () => parts.disposeAsync(),
  };
}

function required(name: string): string {
  const url = process.env[name];
  if (url === undefined) throw new Error(`${name} is not set: run this with .ci/with-services.`);
  return url;
}
