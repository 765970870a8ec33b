import { conversationPage, pages, routes } from '../../shared/interface.ts';
import { type ProviderName, providerNames, selectAccountPrompt } from '../../shared/session.ts';
import { deviceKeys, deviceStorage } from '../device/device-storage.ts';
import { writeItem } from '../write-item.ts';

export function signInUrl(page: string): string {
  return `${pages.signIn}?returnTo=${page}`;
}

/** Returns the page to open after onboarding, which is never the onboarding page itself. */
export function readReturnToAfterOnboarding(search: string): string {
  const page = readReturnTo(search);
  return page === pages.onboarding ? pages.chat : page;
}

/** Returns the page to open after sign-in. Accepts the application's own pages only, to prevent open redirects. */
export function readReturnTo(search: string): string {
  const target = new URLSearchParams(search).get('returnTo') ?? '';
  if (conversationPage.pattern.test(target)) return target;
  return Object.values(pages).find((page) => page === target) ?? pages.chat;
}

type SignInOptions = {
  invitation?: string | undefined;
  /** Whether the provider asks for the account even if only one is signed in there. */
  choosesAccount?: boolean;
};

export function providerUrl(provider: ProviderName, page: string, options: SignInOptions = {}): string {
  const { invitation, choosesAccount = false } = options;
  const query = new URLSearchParams({
    returnTo: page,
    ...(invitation !== undefined && { invitation }),
    ...(choosesAccount && { prompt: selectAccountPrompt }),
  });
  return `${routes.signIn}/${provider}?${query}`;
}

export function lastProvider(): ProviderName | undefined {
  const stored = deviceStorage('localStorage').getItem(deviceKeys.provider);
  return providerNames.find((name) => name === stored);
}

/** The provider matters, because signing in with another one leads to another account, even with the same e-mail address. */
export function storeLastProvider(provider: ProviderName): void {
  writeItem(deviceStorage('localStorage'), deviceKeys.provider, provider);
}

export function deleteLastProvider(): void {
  deviceStorage('localStorage').removeItem(deviceKeys.provider);
}
