import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement, type PropsWithChildren, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { IntlProvider } from 'use-intl/react';
import { Router } from 'wouter';
import { messages } from '../../../client/language/messages/en.ts';
import { sessionQuery } from '../../../client/session/session.ts';
import { createSettings } from '../../../client/settings/settings.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { pages } from '../../../shared/interface.ts';
import type { Session } from '../../../shared/session.ts';
import { importClient } from '../../support/import-client.ts';

export const { CommandsProvider, ConversationView, EndingNotice, SettingsProvider } = await importClient<
  typeof import('./client-in-node.ts')
>('../test/client/ui/client-in-node.ts');

export type PageOptions = {
  path?: string;
  timeZone?: string;
  session?: Session | undefined;
  /** Whether the browser allows the page to store data. */
  hasStorage?: boolean;
};

/** Returns the HTML of the first rendering of `content` in English. Effects do not run. */
export function renderedPage(content: ReactNode, options: PageOptions = {}): string {
  const { path = pages.demo, timeZone = 'UTC', session, hasStorage = false } = options;
  const queryClient = new QueryClient();
  if (session) queryClient.setQueryData(sessionQuery.queryKey, session);
  const Providers = ({ children }: PropsWithChildren) => {
    const withSettings = SettingsProvider({ store: createSettings(createFakeStorage()), children });
    const withCommands = createElement(CommandsProvider, null, withSettings);
    const inEnglish = IntlProvider({ locale: 'en', timeZone, messages, children: withCommands });
    return Router({ ssrPath: path, children: inEnglish });
  };
  const storage = hasStorage ? { localStorage: createFakeStorage() } : {};
  const window = { matchMedia: () => ({ matches: false }), ...storage };
  Object.assign(globalThis, { window, IntersectionObserver: class {} });
  try {
    const page = createElement(Providers, null, content);
    return renderToStaticMarkup(createElement(QueryClientProvider, { client: queryClient }, page));
  } finally {
    for (const name of ['window', 'IntersectionObserver']) Reflect.deleteProperty(globalThis, name);
    queryClient.clear();
  }
}

type Control = { name: string; isDisabled: boolean; href: string | undefined };

/** Returns the buttons and links of `html` with their accessible names, in order. */
export function controlsIn(html: string): Control[] {
  return Array.from(
    html.matchAll(/<(?:button|a)\b([^>]*)>(.*?)<\/(?:button|a)>/gs),
    ([, attributes = '', content = '']) => ({
      name: /aria-label="([^"]*)"/.exec(attributes)?.[1] ?? textOf(content),
      isDisabled: / disabled=|aria-disabled="true"/.test(attributes),
      href: /href="([^"]*)"/.exec(attributes)?.[1],
    }),
  );
}

export function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
