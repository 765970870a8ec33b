import type { ConversationList } from '../conversations/conversations.ts';
import type { User } from '../session/session.ts';

export type AccountProps = {
  user: User;
  /** What the person has on this device, where the page knows it. */
  list?: ConversationList | undefined;
  /** As `useSignOut` has it. */
  onSignedOut?: (() => void) | undefined;
};
