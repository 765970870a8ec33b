export { type AttemptOptions, attempt, type TurnRequest } from '../client/chat/attempt.ts';
export { type Clock, systemClock } from '../client/chat/clock.ts';
export {
  canQueue,
  canSend,
  type Phase,
  type PublicConversationState as ConversationState,
} from '../client/chat/conversation-state.ts';
export type { TurnVersions } from '../client/chat/conversation-tree.ts';
export { type Cooldown, createStoredCooldown } from '../client/chat/cooldown.ts';
export type { Draft } from '../client/chat/draft.ts';
export {
  type AttemptOutcome,
  type Failed,
  type Interrupted,
  isRefusal,
  type Outcome,
  type Refusal,
  type TurnOutcome,
  type Unsent,
} from '../client/chat/outcome.ts';
export {
  type AttemptReport,
  type Offline,
  type Retrying,
  type SendOptions,
  sendTurn,
  type Waiting,
} from '../client/chat/send-turn.ts';
export {
  createTranscript,
  type KeyValueStorage,
  type Transcript,
  type TranscriptRecord,
} from '../client/chat/transcript.ts';
export type { Ending, Turn } from '../client/chat/turn.ts';
export { createWebLock, noLock, type TurnLock, type WebLocks } from '../client/chat/turn-lock.ts';
export type { ErrorCode } from '../shared/errors.ts';
export type { Message } from '../shared/messages.ts';
export { type Failure, nextDelaySeconds } from '../shared/retry.ts';
export { type Conversation, type ConversationOptions, createConversation } from './conversation.ts';
export { secondsLeft } from './seconds-left.ts';
