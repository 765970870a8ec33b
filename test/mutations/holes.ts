import type { Hole } from './hole.ts';
import { answers } from './holes/answers.ts';
import { bounds } from './holes/bounds.ts';
import { budgets } from './holes/budgets.ts';
import { core } from './holes/core.ts';
import { edge } from './holes/edge.ts';
import { fuzz } from './holes/fuzz.ts';
import { logs } from './holes/logs.ts';
import { outage } from './holes/outage.ts';
import { redis } from './holes/redis.ts';
import { repeatedTurns } from './holes/repeated-turns.ts';
import { seeing } from './holes/seeing.ts';
import { soak } from './holes/soak.ts';
import { supply } from './holes/supply.ts';
import { window } from './holes/window.ts';

/** Holes of one subject, as a table of `docs/holes.md`. */
export type HoleChapter = { title: string; holes: readonly Hole[] };

export const holeChapters: readonly HoleChapter[] = [
  { title: 'People, sessions and organizations', holes: core },
  { title: 'The edge: addresses, other sites, the content security policy', holes: edge },
  { title: 'What a request may cost', holes: bounds },
  { title: 'What may be spent', holes: budgets },
  { title: 'What is never logged', holes: logs },
  { title: 'Hostile requests, and the fuzzer that sends them', holes: fuzz },
  { title: 'What every answer carries, and what is read from sign-in hosts', holes: answers },
  { title: 'A database that is away, and a schema that changes', holes: outage },
  { title: 'A turn that is sent again', holes: repeatedTurns },
  { title: 'Counts that instances share', holes: redis },
  { title: 'What the audit of the soak notices', holes: soak },
  { title: 'What is shipped and how it runs', holes: supply },
  { title: 'What is seen from outside', holes: seeing },
  { title: 'The window', holes: window },
];

export const holes: readonly Hole[] = holeChapters.flatMap((chapter) => chapter.holes);
