import { createElement, type FunctionComponent } from 'react';
import { importClient } from '../../support/import-client.ts';
import { htmlInEnglish } from '../in-english.ts';

export type RenderedElement = {
  tag: string;
  attributes: Readonly<Record<string, string>>;
  text: string;
};

type MarkdownProps = { text: string; isGrowing: boolean };

const { Markdown } = await importClient<{ Markdown: FunctionComponent<MarkdownProps> }>('markdown/markdown.tsx');

export function renderedHtml(text: string, { isGrowing = false } = {}): string {
  return htmlInEnglish(createElement(Markdown, { text, isGrowing }));
}

/** Returns every element of a rendered reply. Throws if its HTML is not well formed. */
export function renderedElements(text: string, { isGrowing = false } = {}): RenderedElement[] {
  const html = renderedHtml(text, { isGrowing });
  const elements: RenderedElement[] = [];
  const open: RenderedElement[] = [];
  for (const [part, slash, tag, attributes, end] of html.matchAll(parts)) {
    if (tag === undefined) {
      for (const element of open) element.text += unescaped(part);
    } else if (slash === '/') {
      if (open.pop()?.tag !== tag) throw new Error(`</${tag}> closes another element in ${html}`);
    } else {
      const element = { tag, attributes: attributesOf(attributes ?? ''), text: '' };
      elements.push(element);
      if (end !== '/') open.push(element);
    }
  }
  if (html.replace(parts, '') !== '' || open.length > 0) throw new Error(`Not well formed: ${html}`);
  return elements;
}

const parts = /[^<>]+|<(\/?)([a-z][a-z0-9]*)((?: [a-zA-Z-]+="[^"<>]*")*)(\/?)>/g;

function attributesOf(written: string): Record<string, string> {
  const pairs = written.matchAll(/ ([a-zA-Z-]+)="([^"]*)"/g);
  return Object.fromEntries(Array.from(pairs, ([, name = '', value = '']) => [name, unescaped(value)]));
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#x27': "'", amp: '&' };

export function unescaped(text: string): string {
  return text.replace(/&(lt|gt|quot|#x27|amp);/g, (_, name) => entities[name] ?? '');
}
