import { trustedTypesPolicy } from '../../shared/interface.ts';
import { systemClock } from '../chat/clock.ts';
import { createSteadyClock } from '../chat/steady-clock.ts';
import timer from '../chat/steady-timer.ts?worker&url';

const timerAddress = trustedScript(timer);

/** The clock of all conversations on this page. It is on time in a hidden tab as well. */
export const pageClock = createSteadyClock(systemClock, () => new Worker(timerAddress, { type: 'module' }));

/** What browsers that know Trusted Types give a page; TypeScript does not know it yet. */
type TrustedTypes = {
  /** Throws where there is a policy of this name. Its values are objects, and pass where an address is asked for. */
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(address: string): string };
};

declare global {
  var trustedTypes: TrustedTypes | undefined;
}

/**
 * `address`, a script of our own, as the page's Content-Security-Policy lets it be run. The policy is made once and for this
 * one address, so nothing else on the page can run another by it.
 */
function trustedScript(address: string): string {
  const policy = globalThis.trustedTypes?.createPolicy(trustedTypesPolicy, { createScriptURL: () => address });
  return policy?.createScriptURL(address) ?? address;
}
