import { serviceWorker } from '../../shared/interface.ts';

/** TypeScript does not know Trusted Types. A policy's values are objects, which the browser takes for addresses. */
type TrustedTypes = {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(address: string): string };
};

/** With the service worker the pages open without a network, from the next visit on. The dev server has none. */
export async function registerServiceWorker(): Promise<void> {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  // The policy trusts only this address, so it cannot be used to run another script.
  const policy = trustedTypes?.createPolicy(serviceWorker.policy, { createScriptURL: () => serviceWorker.path });
  const address = policy?.createScriptURL(serviceWorker.path) ?? serviceWorker.path;
  await navigator.serviceWorker?.register(address).catch(() => {
    // The page works without it, with a network.
  });
}
