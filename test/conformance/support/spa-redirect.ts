import { join } from 'node:path';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement, type FunctionComponent } from 'react';
import { renderToString } from 'react-dom/server';
import { IntlProvider } from 'use-intl/react';
import { runnerImport } from 'vite';
import { Router, type SsrContext } from 'wouter';
import { messages } from '../../../client/language/messages/en.ts';
import { root } from '../../support/served-process.ts';

const client = join(root, 'client');

/**
 * Where the SPA, opened at `path` with what `queryClient` knows of the session, leads the person on to. Pages themselves
 * cannot be drawn without a browser.
 */
export async function redirectOf(path: string, queryClient: QueryClient): Promise<string | undefined> {
  const { module } = await runnerImport<{ App: FunctionComponent }>(join(client, 'app.tsx'), {
    root: client,
    configFile: false,
    logLevel: 'silent',
  });
  const visit: SsrContext = {};
  const route = { ssrPath: path, ssrContext: visit, children: createElement(module.App) };
  const page = createElement(QueryClientProvider, { client: queryClient }, createElement(Router, route));
  const inEnglish = { locale: 'en', messages, timeZone: 'UTC', children: page };
  renderToString(createElement(IntlProvider, inEnglish));
  return visit.redirectTo;
}
