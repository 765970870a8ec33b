import process from 'node:process';
import { measureCaching } from './measures/caching.ts';
import { measureClient } from './measures/client.ts';
import { measureBurst, measurePaced } from './measures/cpu.ts';
import { measureDatabase } from './measures/database.ts';
import { measureJudging } from './measures/judging.ts';
import { measureLatency } from './measures/latency.ts';
import { measureLimits } from './measures/limits.ts';
import { measureManyStreams } from './measures/many-streams.ts';
import type { Measure } from './measures/measure.ts';
import { measureMemory } from './measures/memory.ts';
import { measureRequestPath } from './measures/request-path.ts';
import { measureStartUp } from './measures/start-up.ts';
import { readOptions, usage } from './options.ts';
import { writeResults } from './report/document.ts';
import { describeMachine } from './report/machine.ts';
import { printTable } from './report/table.ts';
import { openRig, type Rig } from './rig.ts';

/*
 * Measures the product beside what else one could use, and prints tables. docs/performance.md says how, and how to read them.
 */

const parts: Record<string, Measure> = {
  paced: measurePaced,
  burst: measureBurst,
  latency: measureLatency,
  path: measureRequestPath,
  memory: measureMemory,
  streams: measureManyStreams,
  caching: measureCaching,
  startup: measureStartUp,
  client: measureClient,
  judging: measureJudging,
  database: measureDatabase,
  limits: measureLimits,
};

const { quick, only, rounds, write, help } = readOptions(process.argv.slice(2), Object.keys(parts));
if (help) process.stdout.write(usage);
else await measure();

async function measure(): Promise<void> {
  let opened: Promise<Rig> | undefined;
  const rig = () => {
    // No one asks more than once in a minute or so: far from live chat's limit.
    opened ??= openRig({ visitors: quick ? 250 : 1000 });
    return opened;
  };
  const say = (progress: string) => process.stderr.write(`… ${progress}\n`);
  const circumstances = `${describeMachine()} ${rounds} rounds${quick ? ', quick' : ''}.`;
  process.stdout.write(`${circumstances}\n`);
  try {
    for (const name of only) {
      const measured = (await parts[name]?.({ quick, rounds, rig, say })) ?? [];
      // Goals are for the whole measure: with shorter replies a turn's own cost weighs more.
      const tables = quick ? measured.map((table) => ({ ...table, goals: [] })) : measured;
      for (const table of tables) process.stdout.write(printTable(table));
      if (write) writeResults(name, circumstances, tables);
    }
  } finally {
    await (await opened)?.close();
  }
}
