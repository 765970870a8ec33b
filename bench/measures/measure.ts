import type { Table } from '../report/table.ts';
import type { Rig } from '../rig.ts';

/** What a measure is given. */
export type Bench = {
  quick: boolean;
  /** how many rounds count */
  rounds: number;
  /** the measuring processes, opened when a measure first asks for them */
  rig(): Promise<Rig>;
  /** says what is under way */
  say(progress: string): void;
};

export type Measure = (bench: Bench) => Promise<Table[]>;
