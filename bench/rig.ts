import { openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { openAdministration, openDatabase } from '../server/database/database.ts';
import { demoEngagement } from '../server/prompt/demo-engagement.ts';
import { advisoryMethod, boundaries, houseStyle, roleAndRemit } from '../server/prompt/layers.ts';
import { demoPrompt } from '../server/prompt/prompts.ts';
import { routes } from '../shared/interface.ts';
import { createEmptyDatabase } from '../test/server/database/schema/empty-database.ts';
import { findNonEphemeralPort } from '../test/support/non-ephemeral-port.ts';
import { createMembers, sessionSecret } from '../test/support/people.ts';
import { nodeOptions, temporaryDirectory } from '../test/support/served-process.ts';
import { required, testRedisUrl } from '../test/support/services.ts';
import { startProcess } from './calls.ts';
import { createSignedInUsers } from './contenders/conventional-database.ts';
import { type LoadPlan, type NumberedExchange, startLoad } from './load.ts';
import type { MeasuringFunctions } from './process-metrics.ts';
import type { ProviderFunctions, ReplyTimes } from './provider.ts';

export const contenders = {
  floor: { module: 'bench/contenders/floor.ts', path: '/chat', label: 'floor' },
  demo: { module: 'server/main.ts', path: routes.demoChat, label: 'demo chat' },
  live: { module: 'server/main.ts', path: routes.liveChat, label: 'live chat' },
  conventional: { module: 'bench/contenders/conventional.ts', path: '/chat', label: 'conventional server' },
  sdk: { module: 'bench/contenders/sdk-on-express.ts', path: '/chat', label: 'Anthropic SDK' },
  aiSdk: { module: 'bench/contenders/ai-sdk-on-express.ts', path: '/chat', label: 'Vercel AI SDK' },
} as const;

export type ContenderName = keyof typeof contenders;
export const contenderNames = Object.keys(contenders) as ContenderName[];

export type LoadShape = Pick<LoadPlan, 'reply' | 'streams' | 'concurrency' | 'spacingMilliseconds'>;

/** The records of the client and of the provider for one load. `replyTimes` is keyed by the number of the request. */
export type Run = { exchanges: NumberedExchange[]; replyTimes: Map<number, ReplyTimes> };

export type Rig = Awaited<ReturnType<typeof openRig>>;
export type Contender = Pick<ReturnType<typeof startProcess<MeasuringFunctions>>, 'call' | 'stop'> & {
  name: ContenderName;
  label: string;
  path: string;
  port: number;
  log: string;
};

/** Creates the provider, the databases and their users. The load comes from this process. */
export async function openRig({ users }: { users: number }) {
  await using opened = new AsyncDisposableStack();
  const directory = await temporaryDirectory();
  opened.defer(directory.remove);
  const database = opened.use(await createEmptyDatabase());
  const conventionalDatabase = opened.use(await createEmptyDatabase());
  const provider = startProcess<ProviderFunctions>('bench/provider.ts');
  opened.defer(provider.stop);
  const providerUrl = await provider.call('url');
  const cookies = await createSessions(users, database.url);
  const conventionalCookies = await createSignedInUsers(conventionalDatabase.url, {
    users,
    user: { name: 'Person', role: profile.role, organization: company.name },
    engagement: demoEngagement.engagement,
    secret: sessionSecret,
  });
  let requests = 0;

  const services = { REDIS_URL: required(testRedisUrl), SESSION_SECRET: sessionSecret };
  // The configuration of production behind a proxy that terminates TLS.
  const product = {
    ...services,
    DATABASE_URL: database.url,
    PUBLIC_URL: 'https://chat.example.com',
    TRUST_PROXY: 'true',
    // Demo chat can use at most half of these.
    MAX_STREAMS: '10000',
    GOOGLE_CLIENT_ID: 'benchmark-client',
    GOOGLE_CLIENT_SECRET: 'benchmark-secret',
  };
  const conventional = {
    ...services,
    DATABASE_URL: conventionalDatabase.url,
    // The layers of live chat's prompt that never change.
    SYSTEM_PROMPT: [roleAndRemit, advisoryMethod, houseStyle, boundaries].join('\n\n'),
  };
  const plain = { SYSTEM_PROMPT: demoPrompt[0]?.text ?? '' };
  const variables = { floor: plain, demo: product, live: product, conventional, sdk: plain, aiSdk: plain };

  async function start(name: ContenderName): Promise<Contender> {
    const { module, path, label } = contenders[name];
    const port = await findNonEphemeralPort();
    const log = join(directory.path, `${name}.log`);
    const served = startProcess<MeasuringFunctions>(module, {
      nodeOptions: [
        ...(module === 'server/main.ts' ? nodeOptions : []),
        '--expose-gc',
        '--import',
        './bench/process-metrics.ts',
      ],
      output: openSync(log, 'a'),
      variables: {
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        PORT: String(port),
        ANTHROPIC_BASE_URL: providerUrl,
        ANTHROPIC_API_KEY: 'benchmark-key',
        ...variables[name],
      },
    });
    while (!(await isUp(port))) {
      if (!served.isRunning) throw new Error(`${label} ended before it listened:\n${await readFile(log, 'utf8')}`);
      await delay(20);
    }
    return { name, label, path, port, log, call: served.call, stop: served.stop };
  }

  /** Sends load to a contender. `finished` rejects if any reply differs from the expected bytes or chunks. */
  async function sendLoad({ name, port, path, label, log }: Contender, shape: LoadShape) {
    await provider.call('setPlan', shape.reply);
    const load = startLoad({
      ...shape,
      port,
      path,
      cookies: name === 'conventional' ? conventionalCookies : cookies,
      first: requests,
    });
    requests += shape.streams;
    return { ...load, finished: load.finished.then(toRun) };

    async function toRun(exchanges: NumberedExchange[]): Promise<Run> {
      const failures = exchanges.flatMap(({ failure }) => failure ?? []);
      if (failures.length > 0) {
        const lastLines = (await readFile(log, 'utf8')).trimEnd().split('\n').slice(-5);
        const failed = `${label} failed ${failures.length} of ${shape.streams} requests:`;
        throw new Error([failed, ...failures.slice(0, 5), 'The last lines of its log:', ...lastLines].join('\n'));
      }
      const replyTimes = await provider.call('replyTimes');
      return { exchanges, replyTimes: new Map(replyTimes.map((times) => [times.stream, times])) };
    }
  }

  const parts = opened.move();
  return {
    start,
    run: async (contender: Contender, shape: LoadShape): Promise<Run> => (await sendLoad(contender, shape)).finished,

    async startStreams(contender: Contender, shape: LoadShape) {
      const load = await sendLoad(contender, shape);
      await Promise.race([load.streaming, load.finished]);
      return load;
    },

    close: () => parts.disposeAsync(),
  };
}

async function isUp(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/healthz`)).status < 500;
  } catch {
    return false;
  }
}

const company = { name: demoEngagement.organization.name, industry: 'Metal casting', size: '420 people' };
const profile = { role: 'Head of operations' };

/** Creates onboarded users with engagements of a typical size and returns their session cookies. */
async function createSessions(count: number, url: string): Promise<string[]> {
  await using opened = new AsyncDisposableStack();
  const [settings, logger] = [{ kind: 'postgresql', url } as const, pino({ level: 'silent' })];
  const database = await openDatabase(settings, logger);
  opened.defer(database.close);
  const { administration, close } = await openAdministration(settings, logger, 'operator of the benchmark');
  opened.defer(close);
  const members = await createMembers(database, count, () => ({
    company,
    profile,
    engagement: { hypotheses: [], unknowns: [] },
  }));
  for (const { userId } of members) await administration.setEngagementState(userId, demoEngagement.engagement);
  return members.map(({ cookie }) => cookie);
}
