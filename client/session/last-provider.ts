import { type ProviderName, providerNames } from '../../shared/session.ts';
import { deviceKeys, deviceStorage } from '../device/device-storage.ts';

/** Returns the provider with which a sign-in was last started on this device, if any. */
export function lastProvider(storage = deviceStorage('localStorage')): ProviderName | undefined {
  const stored = storage.getItem(deviceKeys.provider);
  return providerNames.find((name) => name === stored);
}

/** Remembers the provider, because an account at another one is another account here, even with the same e-mail address. */
export function storeLastProvider(provider: ProviderName, storage = deviceStorage('localStorage')): void {
  try {
    storage.setItem(deviceKeys.provider, provider);
  } catch {
    // Storage is full: the sign-in page marks no provider.
  }
}

export function deleteLastProvider(storage = deviceStorage('localStorage')): void {
  storage.removeItem(deviceKeys.provider);
}
