import type { Case } from '../arbitraries/cases.ts';
import type { Greeting, Settled } from '../served/talk.ts';
import type { Exchanged } from '../wire/exchange.ts';

/** What is known of a case once it is over. */
export type Evidence = {
  tried: Case;
  exchanged: Exchanged;
  settled: Settled;
  greeting: Greeting;
  /** why the process does not serve as it should, if so */
  ailment: string | undefined;
};

/** Gives the sentences that say what is wrong, none where nothing is. */
export type Rule = (evidence: Evidence) => string[];
