import { openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { openAdministration, openDatabase } from '../server/database/database.ts';
import { demoEngagement } from '../server/prompt/demo-engagement.ts';
import { demoPrompt } from '../server/prompt/prompts.ts';
import { routes } from '../shared/interface.ts';
import { createEmptyDatabase } from '../test/server/database/empty-database.ts';
import { createMembers, sessionSecret } from '../test/support/people.ts';
import { findFreePort, startOptions, temporaryDirectory } from '../test/support/served-process.ts';
import { required, testRedisUrl } from '../test/support/services.ts';
import type { Accounts } from './accounts.ts';
import { startProcess } from './calls.ts';
import { type Asked, type LoadPlan, startLoad } from './load.ts';
import type { ProviderCalls, Sending } from './provider.ts';

/** Who is measured: the module that serves, and the route that is asked. */
export const contenders = {
  floor: { module: 'bench/contenders/floor.ts', path: '/chat', label: 'floor' },
  demo: { module: 'server/main.ts', path: routes.demoChat, label: 'demo chat' },
  live: { module: 'server/main.ts', path: routes.liveChat, label: 'live chat' },
  sdk: { module: 'bench/contenders/sdk-on-express.ts', path: '/chat', label: 'Anthropic SDK' },
  aiSdk: { module: 'bench/contenders/ai-sdk-on-express.ts', path: '/chat', label: 'Vercel AI SDK' },
} as const;

export type ContenderName = keyof typeof contenders;
export const contenderNames = Object.keys(contenders) as ContenderName[];

export type LoadShape = Pick<LoadPlan, 'reply' | 'streams' | 'concurrency' | 'spacingMilliseconds'>;

/** A run of load with what both ends noted; `sendings` are by the number of the request. */
export type Run = { exchanges: Asked[]; sendings: Map<number, Sending> };

export type Rig = Awaited<ReturnType<typeof openRig>>;
export type Contender = Pick<ReturnType<typeof startProcess<Accounts>>, 'call' | 'stop'> & {
  name: ContenderName;
  label: string;
  path: string;
  port: number;
  log: string;
};

/** Provider, database and people: everything that the contenders are measured with. Load comes from this process. */
export async function openRig({ visitors }: { visitors: number }) {
  await using opened = new AsyncDisposableStack();
  const directory = await temporaryDirectory();
  opened.defer(directory.remove);
  const database = await createEmptyDatabase();
  opened.defer(database.drop);
  const provider = startProcess<ProviderCalls>('bench/provider.ts');
  opened.defer(provider.stop);
  const providerUrl = await provider.call('url');
  const cookies = await cookiesOf(visitors, database.url);
  let asked = 0;

  /** As in production, behind a proxy that ends TLS. */
  const product = {
    DATABASE_URL: database.url,
    REDIS_URL: required(testRedisUrl),
    SESSION_SECRET: sessionSecret,
    PUBLIC_URL: 'https://chat.example.com',
    TRUST_PROXY: 'true',
    MAX_STREAMS_DEMO: '5000',
    GOOGLE_CLIENT_ID: 'an-id-of-no-one',
    GOOGLE_CLIENT_SECRET: 'a-secret-of-no-one',
  };

  /** Starts one contender, and resolves once it answers. */
  async function start(name: ContenderName): Promise<Contender> {
    const { module, path, label } = contenders[name];
    const isProduct = module === 'server/main.ts';
    const port = await findFreePort();
    const log = join(directory.path, `${name}.log`);
    const served = startProcess<Accounts>(module, {
      nodeOptions: [...(isProduct ? startOptions : []), '--expose-gc', '--import', './bench/accounts.ts'],
      output: openSync(log, 'a'),
      variables: {
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: String(port),
        ANTHROPIC_BASE_URL: providerUrl,
        ANTHROPIC_API_KEY: 'a-key-of-no-one',
        ...(isProduct ? product : { SYSTEM_PROMPT: demoPrompt[0]?.text ?? '' }),
      },
    });
    while (!(await answers(port))) {
      if (!served.running) throw new Error(`${label} ended before it listened:\n${await readFile(log, 'utf8')}`);
      await delay(20);
    }
    return { name, label, path, port, log, call: served.call, stop: served.stop };
  }

  /** Sends load to one contender; `finished` rejects where a reply was not right, byte for byte and chunk for chunk. */
  async function begin({ port, path, label, log }: Contender, shape: LoadShape) {
    await provider.call('speak', shape.reply);
    const load = startLoad({ ...shape, port, path, cookies, first: asked });
    asked += shape.streams;
    return { ...load, finished: load.finished.then(checked) };

    async function checked(exchanges: Asked[]): Promise<Run> {
      const failures = exchanges.flatMap(({ failure }) => failure ?? []);
      if (failures.length > 0) {
        const lastLines = (await readFile(log, 'utf8')).trimEnd().split('\n').slice(-5);
        const failed = `${label} failed ${failures.length} of ${shape.streams} requests:`;
        throw new Error([failed, ...failures.slice(0, 5), 'The end of its log:', ...lastLines].join('\n'));
      }
      const sendings = await provider.call('sendings');
      return { exchanges, sendings: new Map(sendings.map((sending) => [sending.stream, sending])) };
    }
  }

  const parts = opened.move();
  return {
    start,
    run: async (contender: Contender, shape: LoadShape): Promise<Run> => (await begin(contender, shape)).finished,

    /** Sends load as `run` does, and resolves as soon as every stream has had its first text. */
    async flow(contender: Contender, shape: LoadShape) {
      const load = await begin(contender, shape);
      await Promise.race([load.flowing, load.finished]);
      return load;
    },

    close: () => parts.disposeAsync(),
  };
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/healthz`)).status < 500;
  } catch {
    return false;
  }
}

/** Makes people who are signed in and onboarded, with engagements of an ordinary size; gives the cookies of their sessions. */
async function cookiesOf(count: number, url: string): Promise<string[]> {
  await using opened = new AsyncDisposableStack();
  const [settings, logger] = [{ kind: 'postgresql', url } as const, pino({ level: 'silent' })];
  const database = await openDatabase(settings, logger);
  opened.defer(database.close);
  const { administration, close } = await openAdministration(settings, logger, 'operator of the benchmark');
  opened.defer(close);
  const members = await createMembers(database, count, () => ({
    company: { name: demoEngagement.organization.name, industry: 'Metal casting', size: '420 people' },
    profile: { role: 'Head of operations' },
    engagement: { hypotheses: [], unknowns: [] },
  }));
  for (const { userId } of members) await administration.setEngagementState(userId, demoEngagement.engagement);
  return members.map(({ cookie }) => cookie);
}
