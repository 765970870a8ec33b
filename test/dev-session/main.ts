import process from 'node:process';
import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from '../../server/config/config.ts';
import { createDevSession } from './dev-session.ts';

const usage = 'npm run dev-session -- PERSON [--onboarded]';

/** Signs an example person in at the development instance that runs here, and prints their cookie. */
try {
  const { person, onboarded } = typed();
  const cookie = await createDevSession(loadConfig(process.env, { need: ['PUBLIC_URL', 'PORT'] }), {
    person,
    onboarded,
  });
  process.stdout.write(`${cookie}\n`);
} catch (error) {
  const complaints = error instanceof ConfigError ? error.complaints : [error instanceof Error ? error.message : error];
  process.stderr.write(`${complaints.join('\n')}\n`);
  process.exitCode = 1;
}

function typed(): { person: string; onboarded: boolean } {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { onboarded: { type: 'boolean' } } });
    const [person, ...more] = positionals;
    if (person !== undefined && more.length === 0) return { person, onboarded: values.onboarded ?? false };
  } catch {
    // An option that there is not.
  }
  throw new Error(`Usage: ${usage}`);
}
