import { type ProviderName, providerNames } from '../../shared/session.ts';
import { deviceKeys, deviceStorage } from '../device/device-storage.ts';

export function lastProvider(): ProviderName | undefined {
  const stored = deviceStorage('localStorage').getItem(deviceKeys.provider);
  return providerNames.find((name) => name === stored);
}

/** The provider matters, because signing in with another one leads to another account, even with the same e-mail address. */
export function storeLastProvider(provider: ProviderName): void {
  try {
    deviceStorage('localStorage').setItem(deviceKeys.provider, provider);
  } catch {
    // Storage is full: the sign-in page marks no provider.
  }
}

export function deleteLastProvider(): void {
  deviceStorage('localStorage').removeItem(deviceKeys.provider);
}
