import { createElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { IntlProvider } from 'use-intl/react';
import { messages } from '../../client/language/messages/en.ts';

/** Returns the HTML of `content` on a page in English. */
export function htmlInEnglish(content: ReactNode): string {
  const provider = { locale: 'en', timeZone: 'UTC', messages, children: content };
  return renderToStaticMarkup(createElement(IntlProvider, provider));
}
