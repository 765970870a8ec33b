export type DeviceStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Where things are kept. A person's keys name the person, so that nobody on the same device is shown another's. */
export const deviceKeys = {
  demoTranscript: 'advisory-chat:demo',
  liveTranscript: (userId: string) => `advisory-chat:live:${userId}`,
  onboardingForm: (userId: string) => `advisory-chat:onboarding:${userId}`,
} as const;

/** `localStorage` or `sessionStorage`; where the browser denies it, a stand-in that forgets when the page is left. */
export function deviceStorage(kind: 'localStorage' | 'sessionStorage'): DeviceStorage {
  try {
    return window[kind];
  } catch {
    return createForgetfulStorage();
  }
}

/** Removes what this device keeps of a person. */
export function forgetPerson(userId: string): void {
  deviceStorage('localStorage').removeItem(deviceKeys.liveTranscript(userId));
  deviceStorage('sessionStorage').removeItem(deviceKeys.onboardingForm(userId));
}

function createForgetfulStorage(): DeviceStorage {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
}
