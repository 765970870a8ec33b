import { lazy, Suspense } from 'react';
import { useTranslations } from 'use-intl/react';
import { CopyButton } from '../controls/copy-button.tsx';
import { DiagramView, isDiagram } from './diagram-view.tsx';
import { ScrollBox } from './scroll-box.tsx';

/** Longer code stays uncoloured: colouring it would block the page. */
const maxColoredCharacters = 15_000;

// Where the colours cannot be loaded, after an update of the service, say, the code stands without them.
const HighlightedCode = lazy(() => import('./highlighted-code.tsx').catch(() => ({ default: UncoloredCode })));

type CodeBlockProps = { language: string; text: string; isGrowing: boolean };

/** Code, which is highlighted once it is complete: that moves nothing. A complete diagram is drawn. */
export function CodeBlock({ language, text, isGrowing }: CodeBlockProps) {
  const t = useTranslations('conversation');
  const grammar = isGrowing || text.length > maxColoredCharacters ? undefined : grammarFor(language);
  const copyButton = isGrowing ? null : <CopyButton label={t('copyCode')} text={text} />;
  const code = (
    <ScrollBox label={t('code')}>
      <pre>
        <code>
          {grammar === undefined ? (
            text
          ) : (
            <Suspense fallback={text}>
              <HighlightedCode grammar={grammar} text={text} />
            </Suspense>
          )}
        </code>
      </pre>
    </ScrollBox>
  );
  return (
    <figure className="code-block" aria-label={language || t('code')} dir="ltr">
      {!isGrowing && isDiagram(language, text) ? (
        <DiagramView source={text} copyButton={copyButton} code={code} />
      ) : (
        <>
          <figcaption>
            <span>{language || t('code')}</span>
            {copyButton}
          </figcaption>
          {code}
        </>
      )}
    </figure>
  );
}

export type HighlightedCodeProps = { grammar: Grammar; text: string };

function UncoloredCode({ text }: HighlightedCodeProps) {
  return [text];
}

/** The grammars that colour code, each with the other names that a code block may give its language. */
const otherNames = {
  bash: ['sh', 'shell', 'zsh', 'console'],
  csharp: ['cs', 'c#'],
  css: [],
  diff: ['patch'],
  go: ['golang'],
  java: [],
  javascript: ['js', 'jsx', 'mjs'],
  json: ['json5', 'jsonc'],
  python: ['py'],
  r: [],
  sql: ['postgres', 'postgresql', 'mysql'],
  typescript: ['ts', 'tsx'],
  xml: ['html', 'svg'],
  yaml: ['yml'],
} as const satisfies Record<string, readonly string[]>;

export type Grammar = keyof typeof otherNames;

const grammarNames = Object.keys(otherNames).filter((name): name is Grammar => Object.hasOwn(otherNames, name));

const grammarByName = new Map(
  grammarNames.flatMap((grammar) =>
    [grammar, ...otherNames[grammar]].map((name): [string, Grammar] => [name, grammar]),
  ),
);

/** The grammar for a language as a code block names it, or undefined where there is none. */
function grammarFor(language: string): Grammar | undefined {
  return grammarByName.get(language);
}
