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
export { toAnswer } from './testing/case-answer.ts';
export { type FakeBackend, startFakeBackend } from './testing/fake-backend.ts';
export type { ReceivedRequest } from './testing/received-request.ts';
