import { serviceWorker } from '../../shared/interface.ts';

/** TypeScript lacks the Trusted Types API. A policy returns objects, which the browser accepts as URLs. */
type TrustedTypes = {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(address: string): string };
};

/** Registers the service worker, which makes pages available offline from the next visit on. The dev server has none. */
export async function registerServiceWorker(): Promise<void> {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  // The policy returns this URL only, so it cannot be used to run another script.
  const policy = trustedTypes?.createPolicy(serviceWorker.policy, { createScriptURL: () => serviceWorker.path });
  const address = policy?.createScriptURL(serviceWorker.path) ?? serviceWorker.path;
  await navigator.serviceWorker?.register(address).catch(() => {
    // Without the service worker, the page works online only.
  });
}
