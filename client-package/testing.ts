export {
  type Answer,
  answersWith,
  cutsReply,
  fails,
  failsMidway,
  hangsUp,
  replies,
  staysSilent,
} from './testing/answers.ts';
export { startFakeBackend } from './testing/fake-backend.ts';
export { createFakeClock, type FakeClock } from './testing/fake-clock.ts';
export { createFakeLock } from './testing/fake-lock.ts';
export type { FakeBackend } from './testing/fake-server.ts';
export { createFakeStorage, type FakeStorage } from './testing/fake-storage.ts';
export type { ReceivedRequest } from './testing/received-request.ts';
export { type CaseAnswer, type CaseFailure, type RetryCase, retryCases, toAnswer } from './testing/retry-cases.ts';
export { isIdle, isRetrying, until } from './testing/until.ts';
