import { providerLabels, providerNames } from '../shared/session.ts';
import type { Config } from './config/config.ts';

/** What runs here, and for each embedded part the variable that replaces it: a line each. */
export function banner(config: Config, publicUrl: string): string {
  const { databaseUrl, dataDirectory, redis, model, providers } = config;
  const emulated = providerNames.filter((name) => providers[name] === undefined).map((name) => providerLabels[name]);
  const offline = model.apiKey === undefined && model.baseUrl === undefined;
  const lines = [
    ['Open', publicUrl],
    ['Database', databaseUrl ? 'PostgreSQL' : `embedded, in ${dataDirectory} (DATABASE_URL for PostgreSQL)`],
    ['Limits', redis ? 'counted on Redis' : 'counted in this process (REDIS_URL to share them)'],
    [
      'Sign-in',
      emulated.length === 0
        ? 'the configured providers'
        : `${emulated.join(', ')} emulated on this machine (GOOGLE_CLIENT_ID, … for the real ones)`,
    ],
    [
      'Model',
      offline
        ? 'an offline stand-in, not a language model (ANTHROPIC_API_KEY for the real one)'
        : `${model.name} at ${model.baseUrl ?? 'the Anthropic API'}`,
    ],
  ];
  return ['', '  Advisory Chat', ...lines.map(([part, what]) => `  ${`${part}:`.padEnd(10)} ${what}`), ''].join('\n');
}
