import { randomInt } from 'node:crypto';
import type { ProviderName } from '../../../shared/session.ts';
import { createBrowser } from '../../support/browser.ts';
import type { Prepared } from './talk.ts';

const visitors: Record<ProviderName, string> = {
  google: 'blake@example.com',
  github: 'avery-example',
  microsoft: 'avery@example.com',
};

/** A browser with an address of its own: what it does uses up no other's limits. */
export function createOwnBrowser(url: string) {
  return createBrowser(url, { 'X-Forwarded-For': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}` });
}

/** Signs in as far as the way back from the provider, which is left to the case. */
export async function beginAttempt(url: string, provider: ProviderName): Promise<Prepared['attempt']> {
  const browser = createOwnBrowser(url);
  const back = new URL(await browser.approve(provider, visitors[provider]));
  return {
    cookie: browser.cookies().join('; '),
    code: back.searchParams.get('code') ?? '',
    state: back.searchParams.get('state') ?? '',
  };
}
