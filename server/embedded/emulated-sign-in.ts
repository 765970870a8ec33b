import type { ProviderName } from '../../shared/session.ts';
import { type ProviderSettings, providers } from '../auth/providers.ts';

/**
 * Starts an emulator of each provider in `names` on a free port of the loopback interface, and gives the settings with
 * which people sign in there. The emulators take any client and return to any address; what they know is in memory.
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

/** An emulator names itself `localhost`, which may resolve to another interface than the 127.0.0.1 it listens on. */
function loopbackAddress(url: string): string {
  return `http://127.0.0.1:${new URL(url).port}`;
}
