import { join } from 'node:path';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement, type FunctionComponent } from 'react';
import { renderToString } from 'react-dom/server';
import { IntlProvider } from 'use-intl/react';
import { runnerImport } from 'vite';
import { Router, type SsrContext } from 'wouter';
import { messages } from '../../../client/language/messages/en.ts';
import { pages } from '../../../shared/interface.ts';
import { root } from '../../support/served-process.ts';

const client = join(root, 'client');

const components = {
  [pages.chat]: { file: 'pages/chat-page.tsx', name: 'ChatPage' },
  [pages.onboarding]: { file: 'pages/onboarding-page.tsx', name: 'OnboardingPage' },
};

/**
 * Where the page at `path`, opened with what `queryClient` knows of the session, leads the person on to. Pages themselves
 * cannot be drawn without a browser.
 */
export async function redirectOf(path: keyof typeof components, queryClient: QueryClient): Promise<string | undefined> {
  const { file, name } = components[path];
  const { module } = await runnerImport<Record<string, FunctionComponent>>(join(client, file), {
    root: client,
    configFile: false,
    logLevel: 'silent',
  });
  const Page = module[name];
  if (Page === undefined) throw new Error(`${file} has no ${name}.`);
  const visit: SsrContext = {};
  const route = { ssrPath: path, ssrContext: visit, children: createElement(Page) };
  const page = createElement(QueryClientProvider, { client: queryClient }, createElement(Router, route));
  const inEnglish = { locale: 'en', messages, timeZone: 'UTC', children: page };
  renderToString(createElement(IntlProvider, inEnglish));
  return visit.redirectTo;
}
