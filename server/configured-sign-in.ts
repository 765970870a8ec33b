import { providerNames } from '../shared/session.ts';
import type { Providers } from './auth/providers.ts';
import type { Config } from './config/config.ts';
import { startEmulatedSignIn } from './embedded/emulated-sign-in.ts';

/** The providers that the configuration names; outside production the others are emulated, until `opened` is closed. */
export async function openConfiguredSignIn(
  { production, providers }: Pick<Config, 'production' | 'providers'>,
  opened: AsyncDisposableStack,
): Promise<Providers> {
  const missing = providerNames.filter((name) => providers[name] === undefined);
  if (production || missing.length === 0) return providers;
  const emulated = await startEmulatedSignIn(missing);
  opened.defer(emulated.close);
  return { ...emulated.settings, ...providers };
}
