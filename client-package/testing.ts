export { createFakeClock, type FakeClock } from './testing/fake-clock.ts';
export { createFakeLock } from './testing/fake-lock.ts';
export { createFakeStorage, type FakeStorage } from './testing/fake-storage.ts';
export { type CaseAnswer, type CaseFailure, type RetryCase, retryCases } from './testing/retry-cases.ts';
export { isIdle, isRetrying, until } from './testing/until.ts';
