import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement, type PropsWithChildren, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { IntlProvider } from 'use-intl/react';
import { Router, type SsrContext } from 'wouter';
import { messages } from '../../../client/language/messages/en.ts';
import { sessionQuery } from '../../../client/session/session.ts';
import { createSettingsStore, type Settings } from '../../../client/settings/settings.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { pages } from '../../../shared/interface.ts';
import type { Session } from '../../../shared/session.ts';
import { importClient } from '../../support/import-client.ts';

export const client = await importClient<typeof import('./client-in-node.ts')>('../test/client/ui/client-in-node.ts');
const { CommandsProvider, SettingsProvider } = client;

export type PageOptions = {
  path?: string;
  /** The query string of the URL. */
  search?: string;
  timeZone?: string;
  session?: Session | undefined;
  /** Whether the browser grants access to `localStorage`. */
  hasStorage?: boolean;
  hasCookies?: boolean;
  isOnline?: boolean;
  settings?: Partial<Settings>;
  /** Called before the rendering, with the storages of the page and the cache of its requests. */
  prepare?: (page: { localStorage: Storage; sessionStorage: Storage; queryClient: QueryClient }) => void;
};

export function renderedPage(content: ReactNode, options: PageOptions = {}): string {
  return renderPage(content, options).html;
}

/** Returns the HTML of the first rendering of `content` in English, and where it redirects. Effects do not run. */
export function renderPage(
  content: ReactNode,
  options: PageOptions = {},
): { html: string; redirect: string | undefined } {
  const { path = pages.demo, search = '', timeZone = 'UTC', session } = options;
  const { hasStorage = false, hasCookies = true, isOnline = true, settings = {}, prepare } = options;
  const store = createSettingsStore(createFakeStorage());
  store.change(settings);
  const queryClient = new QueryClient({ defaultOptions: { queries: { retryOnMount: false } } });
  const ssrContext: SsrContext = {};
  if (session) queryClient.setQueryData(sessionQuery.queryKey, session);
  const Providers = ({ children }: PropsWithChildren) => {
    const withSettings = SettingsProvider({ store, children });
    const withCommands = createElement(CommandsProvider, null, withSettings);
    const inEnglish = IntlProvider({ locale: 'en', timeZone, messages, children: withCommands });
    return Router({ ssrPath: path, ssrSearch: search, ssrContext, children: inEnglish });
  };
  const localStorage = createFakeStorage() as unknown as Storage;
  const sessionStorage = createFakeStorage() as unknown as Storage;
  const location = { pathname: path, search };
  const window = {
    matchMedia: () => ({ matches: false }),
    location,
    sessionStorage,
    get localStorage() {
      if (!hasStorage) throw new DOMException('The browser denies storage.', 'SecurityError');
      return localStorage;
    },
  };
  const { navigator } = globalThis;
  const setNavigator = (value: object) => Object.defineProperty(globalThis, 'navigator', { configurable: true, value });
  Object.assign(globalThis, { window, IntersectionObserver: class {} });
  setNavigator({ onLine: isOnline, cookieEnabled: hasCookies, platform: 'Linux' });
  try {
    const page = createElement(Providers, null, content);
    prepare?.({ localStorage, sessionStorage, queryClient });
    const html = renderToStaticMarkup(createElement(QueryClientProvider, { client: queryClient }, page));
    return { html, redirect: ssrContext.redirectTo };
  } finally {
    setNavigator(navigator);
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
