import { systemClock } from '../chat/clock.ts';
import { createSteadyClock } from '../chat/steady-clock.ts';

/** The clock of all conversations on this page. It is on time in a hidden tab as well. */
export const pageClock = createSteadyClock(
  systemClock,
  () => new Worker(new URL('../chat/steady-timer.ts', import.meta.url), { type: 'module' }),
);
