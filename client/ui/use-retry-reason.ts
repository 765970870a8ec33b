import { useTranslations } from 'use-intl/react';
import type { RetriedCode } from '../../shared/retry.ts';
import type { Retrying } from '../chat/send-turn.ts';

const reasons = {
  RATE_LIMITED: 'limited',
  UPSTREAM_OVERLOADED: 'busy',
  UPSTREAM_ERROR: 'failed',
} as const satisfies Record<RetriedCode, string>;

/** Says in the language of the page why the last attempt failed, of the codes that are tried again. */
export function useRetryReason(): (retrying: Retrying) => string {
  const say = useTranslations('retrying');
  const messages = new Map<string, (typeof reasons)[keyof typeof reasons]>(Object.entries(reasons));
  return ({ code, reason }) => {
    const message = messages.get(code);
    return message === undefined ? reason : say(message);
  };
}
