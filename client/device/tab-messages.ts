import { isObject } from '../../shared/is-object.ts';
import type { StoreChanges } from './conversation-store.ts';
import { readChanges } from './store-rows.ts';

/**
 * What the tabs of one person tell each other: that these records have changed, that so much has changed that everything is
 * to be read anew, or that the person has signed out.
 */
export type TabMessage = { type: 'changed'; changes: StoreChanges } | { type: 'read anew' } | { type: 'forgotten' };

/** The message, or undefined where it is none: another tab may run another release. */
export function readTabMessage(message: unknown): TabMessage | undefined {
  if (!isObject(message)) return undefined;
  const { type } = message;
  if (type === 'changed') return { type, changes: readChanges(message.changes) };
  return type === 'read anew' || type === 'forgotten' ? { type } : undefined;
}
