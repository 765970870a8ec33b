import { trustedTypesPolicy } from '../../shared/interface.ts';

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
export function trustedScript(address: string): string {
  const policy = globalThis.trustedTypes?.createPolicy(trustedTypesPolicy, { createScriptURL: () => address });
  return policy?.createScriptURL(address) ?? address;
}
