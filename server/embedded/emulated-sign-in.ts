import type { ProviderName } from '../../shared/session.ts';
import { type ProviderSettings, providers } from '../auth/providers.ts';

/**
 * Starts an emulator of each provider in `names` on a free loopback port, and returns the settings for signing in with them.
 * The emulators accept any client and any callback URL, and keep their state in memory.
 */
export async function startEmulatedSignIn(
  names: readonly ProviderName[],
): Promise<{ settings: Partial<Record<ProviderName, ProviderSettings>>; close(): Promise<void> }> {
  const { createEmulator } = await import('emulate');
  const emulators = await Promise.all(
    names.map(async (name) => ({
      name,
      emulator: await createEmulator({
        service: name,
        port: 0,
        seed: { [name]: { users: providers[name].emulated.people } },
      }),
    })),
  );
  return {
    settings: Object.fromEntries(
      emulators.map(({ name, emulator }) => [
        name,
        { clientId: 'advisory-chat', clientSecret: 'emulated', baseUrl: loopbackAddress(emulator.url) },
      ]),
    ),
    async close() {
      await Promise.all(emulators.map(({ emulator }) => emulator.close()));
    },
  };
}

/** The emulator's URL has the host `localhost`, which can resolve to an address other than 127.0.0.1, on which it listens. */
function loopbackAddress(url: string): string {
  return `http://127.0.0.1:${new URL(url).port}`;
}
