/** What the fuzzer and the process with the application say to each other, over Node's own channel. */

import type { ProviderName } from '../../../shared/session.ts';
import type { Mood } from '../arbitraries/moods.ts';

/** What a case needs before its bytes are sent. */
export type Preparation = { mood: Mood; signIn: ProviderName | null };

export type Question = { ask: 'prepare'; preparation: Preparation } | { ask: 'settle' } | { ask: 'measure' };

/** Whose cookies a case may send, and the sign-in that it may finish: the provider sent it back to the site. */
export type Prepared = {
  cookies: { onboarded: string; newcomer: string };
  attempt: { cookie: string; code: string; state: string };
};

/** What a case has left behind in the process, since it was prepared. */
export type Settled = {
  /** processor time of the whole process, in microseconds */
  cpuMicroseconds: number;
  lines: readonly string[];
  /** errors that nobody caught, and warnings */
  uncaught: readonly string[];
  /** whether every request was over soon after the client had read its answer or left */
  over: boolean;
  /** whether the other organization's rows are what they were */
  otherUnchanged: boolean;
};

export type Measured = { handles: number; heapBytes: number };

export type Greeting = {
  url: string;
  providerOrigins: readonly string[];
  root: string;
  otherSecrets: readonly string[];
};

export type Answers = { greeting: Greeting; prepared: Prepared; settled: Settled; measured: Measured; failed: string };
export type Answer = Partial<Answers>;
