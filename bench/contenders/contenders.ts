import { openSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { demoPrompt } from '../../server/prompt/demo-prompt.ts';
import { routes } from '../../shared/interface.ts';
import { freePort, startOptions } from '../../test/support/served-process.ts';
import type { Accounts } from '../processes/accounts.ts';
import { startProcess } from '../processes/start-process.ts';

export type ContenderName = keyof typeof contenders;

/** Who is measured: the module that serves, and the route that is asked. */
export const contenders = {
  floor: { module: 'bench/contenders/floor.ts', path: '/chat', label: 'floor: node:http by hand' },
  demo: { module: 'server/main.ts', path: routes.demoChat, label: 'this product, demo chat' },
  live: { module: 'server/main.ts', path: routes.liveChat, label: 'this product, live chat' },
  sdk: { module: 'bench/contenders/sdk-on-express.ts', path: '/chat', label: 'Anthropic SDK on Express' },
  aiSdk: { module: 'bench/contenders/ai-sdk-on-express.ts', path: '/chat', label: 'Vercel AI SDK on Express' },
} as const;

export const contenderNames = Object.keys(contenders) as ContenderName[];

/** What the product's own contenders need beside the provider. */
export type ProductVariables = { DATABASE_URL: string; REDIS_URL: string; SESSION_SECRET: string };

export const publicUrl = 'https://chat.example.com';

/** What a contender may be given beyond what all are: modules that are loaded before its own, and variables. */
export type Additions = { modules?: readonly string[]; variables?: Record<string, string> };

/** Starts one, with its log in the file `log`, and resolves once it answers. */
export async function startContender(
  name: ContenderName,
  { providerUrl, product, log }: { providerUrl: string; product: ProductVariables; log: string },
  { modules = [], variables = {} }: Additions = {},
) {
  const { module, path, label } = contenders[name];
  const port = await freePort();
  const served = startProcess<Accounts>(module, {
    nodeOptions: [
      ...(module === 'server/main.ts' ? startOptions : []),
      '--expose-gc',
      ...['bench/processes/accounts.ts', ...modules].flatMap((loaded) => ['--import', `./${loaded}`]),
    ],
    output: openSync(log, 'a'),
    variables: {
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      ANTHROPIC_BASE_URL: providerUrl,
      ANTHROPIC_API_KEY: 'a-key-of-no-one',
      ...(module === 'server/main.ts' ? productVariables(product) : { SYSTEM_PROMPT: demoPrompt[0]?.text ?? '' }),
      ...variables,
    },
  });
  while (!(await answers(port))) {
    if (!served.running) throw new Error(`${label} ended before it listened; see ${log}.`);
    await delay(20);
  }
  return { name, label, path, port, log, call: served.call, stop: served.stop };
}

export type Contender = Awaited<ReturnType<typeof startContender>>;

/** As in production, behind a proxy that ends TLS. */
function productVariables(product: ProductVariables): Record<string, string> {
  return {
    ...product,
    PUBLIC_URL: publicUrl,
    TRUST_PROXY: 'true',
    // All that a process takes, for the measure that has so many demo streams.
    MAX_STREAMS_DEMO: '5000',
    GOOGLE_CLIENT_ID: 'an-id-of-no-one',
    GOOGLE_CLIENT_SECRET: 'a-secret-of-no-one',
  };
}

async function answers(port: number): Promise<boolean> {
  try {
    const { status } = await fetch(`http://127.0.0.1:${port}/healthz`);
    return status < 500;
  } catch {
    return false;
  }
}
