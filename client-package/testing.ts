/** What `advisory-chat-client/testing` offers. */
export {
  type Answer,
  answersWith,
  type FakeBackend,
  fails,
  hangsUp,
  type ReceivedRequest,
  replies,
  startFakeBackend,
  staysSilent,
} from './testing/fake-backend.ts';
export { createFakeClock, type FakeClock } from './testing/fake-clock.ts';
export { createFakeLock } from './testing/fake-lock.ts';
export { createFakeStorage, type FakeStorage } from './testing/fake-storage.ts';
export { isIdle, isRetrying, until } from './testing/until.ts';
