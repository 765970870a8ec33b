import { isObject } from '../../shared/is-object.ts';

const outcomes = ['kept', 'deleted', 'none'] as const;

/** Whether a sign-out keeps or deletes the user's conversations on this device; `none` if there are none. */
export type SignOut = { conversations: (typeof outcomes)[number] };

export function signOutInState(state: unknown): SignOut | undefined {
  if (!isObject(state)) return undefined;
  const conversations = outcomes.find((outcome) => outcome === state.conversations);
  return conversations && { conversations };
}
