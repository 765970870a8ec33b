/** The public API of `advisory-chat-client`. */
export { type AskOptions, ask, type Reply, readReply, type TurnRequest } from '../client/chat/ask.ts';
export { type Clock, systemClock } from '../client/chat/clock.ts';
export { createConversation } from '../client/chat/conversation.ts';
export type { Conversation, ConversationOptions } from '../client/chat/conversation-interface.ts';
export {
  type ConversationState,
  canQueue,
  canSend,
  canShowVersion,
  isWrittenElsewhere,
  type Phase,
  type TurnsState,
} from '../client/chat/conversation-state.ts';
export type { ConversationTree, TurnVersions, VersionPlace } from '../client/chat/conversation-tree.ts';
export { type Cooldown, createStoredCooldown } from '../client/chat/cooldown.ts';
export type { Draft } from '../client/chat/draft.ts';
export {
  type Failed,
  type Interrupted,
  isRefusal,
  type Outcome,
  type Refusal,
  type Unsent,
} from '../client/chat/outcome.ts';
export type { PendingTurn } from '../client/chat/pending-turn.ts';
export { type Offline, type Retrying, type SendOptions, sendTurn, type Waiting } from '../client/chat/send-turn.ts';
export {
  createTranscript,
  type Transcript,
  type TranscriptRecord,
  type TranscriptStorage,
} from '../client/chat/transcript.ts';
export type { Ending, Turn } from '../client/chat/turn.ts';
export { createWebLock, type TurnLock } from '../client/chat/turn-lock.ts';
export { type ErrorCode, errorLine } from '../shared/errors.ts';
export type { Message, TextBlock } from '../shared/messages.ts';
export { type Failure, nextDelaySeconds } from '../shared/retry.ts';
