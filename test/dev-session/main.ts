import process from 'node:process';
import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from '../../server/config/config.ts';
import { createDevSession } from './dev-session.ts';

/** Signs an example person in at the development instance that runs here, and prints their cookie. */
try {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { onboarded: { type: 'boolean' } } });
  const [person] = positionals;
  if (person === undefined) throw new Error('Usage: npm run dev-session -- PERSON [--onboarded]');
  const cookie = await createDevSession(loadConfig(process.env, { need: ['PUBLIC_URL', 'PORT'] }), {
    person,
    onboarded: values.onboarded ?? false,
  });
  process.stdout.write(`${cookie}\n`);
} catch (error) {
  const complaints = error instanceof ConfigError ? error.complaints : [error instanceof Error ? error.message : error];
  process.stderr.write(`${complaints.join('\n')}\n`);
  process.exitCode = 1;
}
