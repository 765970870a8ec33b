import { useSyncExternalStore } from 'react';
import { systemClock } from '../chat/clock.ts';
import type { Conversation } from '../chat/conversation.ts';
import { createWaitingTime, type WaitingState, type WaitingTime } from '../chat/waiting-time.ts';

/** A conversation that is shown again while its reply is running has been waiting all the time. */
const followed = new WeakMap<Conversation, WaitingTime>();

/** How long the person has been waiting for the turn that runs in `conversation`. */
export function useWaitingTime(conversation: Conversation): WaitingState {
  const { subscribe, getState } = waitingTimeOf(conversation);
  return useSyncExternalStore(subscribe, getState);
}

function waitingTimeOf(conversation: Conversation): WaitingTime {
  const known = followed.get(conversation) ?? createWaitingTime(conversation, systemClock);
  followed.set(conversation, known);
  return known;
}
