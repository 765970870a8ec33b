import { systemClock } from '../chat/clock.ts';
import { createSteadyClock } from '../chat/steady-clock.ts';
import timer from '../chat/steady-timer.ts?worker&url';
import { trustedScript } from './trusted-script.ts';

const timerAddress = trustedScript(timer);

/** The clock of all conversations on this page. It is on time in a hidden tab as well. */
export const pageClock = createSteadyClock(systemClock, () => new Worker(timerAddress, { type: 'module' }));
