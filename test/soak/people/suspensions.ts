import { execFile } from 'node:child_process';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { now } from '../now.ts';
import type { Provider } from '../parts/provider.ts';
import type { PlannedSuspension } from '../plan/suspension-plan.ts';
import type { Suspension } from '../records.ts';
import type { DatabaseUrls, Member } from './population.ts';
import type { TurnSource } from './turn-source.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A command that takes longer is ended. */
const commandMilliseconds = 20_000;

/** How soon the operator tries again where the database did not take the command. */
const againMilliseconds = 250;

type Parts = { urls: DatabaseUrls; provider: Pick<Provider, 'linger'>; source: TurnSource; over: AbortSignal };

/** The operator, who suspends people as planned, each in the middle of a reply. Whoever asks no more is left alone. */
export function createSuspensions({ urls, provider, source, over }: Parts) {
  const records: Suspension[] = [];
  const isOver = new Promise<'over'>((resolve) =>
    over.addEventListener('abort', () => resolve('over'), { once: true }),
  );

  async function suspend({ asker: { userId, personMark } }: Member): Promise<void> {
    const shown = provider.linger(personMark);
    if ((await Promise.race([shown, isOver])) === 'over') return;
    const from = now();
    while (!(await isSuspended(urls, userId))) await delay(againMilliseconds);
    records.push({ userId, from, doneAt: now() });
  }

  return {
    records,
    /** Resolves when all are suspended, or the run is over. */
    async carryOut(planned: readonly PlannedSuspension[], members: readonly Member[]): Promise<void> {
      await Promise.all(
        planned.map(async ({ atTurn, member: number }) => {
          const member = members[number];
          if (member === undefined) return;
          await source.reached(atTurn);
          await suspend(member);
        }),
      );
    },
  };
}

/** `npm run admin -- suspend-user`, in a process of its own. False where it failed: the database was away. */
async function isSuspended({ url, ownerUrl }: DatabaseUrls, userId: string): Promise<boolean> {
  const env = { PATH: process.env.PATH, DATABASE_URL: url, DATABASE_MIGRATION_URL: ownerUrl };
  const command = ['server/admin/main.ts', 'suspend-user', userId];
  try {
    await run(process.execPath, command, { cwd: root, env, timeout: commandMilliseconds });
    return true;
  } catch {
    return false;
  }
}
