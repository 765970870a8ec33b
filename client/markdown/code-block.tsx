import { lazy, Suspense } from 'react';
import { useTranslations } from 'use-intl/react';
import { CopyButton } from '../controls/copy-button.tsx';
import type { HighlightedCodeProps } from './highlighted-code.tsx';
import { grammarFor } from './languages.ts';
import { ScrollBox } from './scroll-box.tsx';

/** Longer code stays as it is: colouring it would hold the page up. */
const mostColoredCharacters = 50_000;

// Where the colours cannot be loaded, after an update of the service, say, the code stands without them.
const HighlightedCode = lazy(() => import('./highlighted-code.tsx').catch(() => ({ default: UncoloredCode })));

type CodeBlockProps = { language: string; text: string; isGrowing: boolean };

/** Code as it is written. Its colours come when it is finished and move nothing: the letters stay where they are. */
export function CodeBlock({ language, text, isGrowing }: CodeBlockProps) {
  const say = useTranslations('conversation');
  const grammar = isGrowing || text.length > mostColoredCharacters ? undefined : grammarFor(language);
  return (
    <figure className="code-block" dir="ltr">
      <figcaption>
        <span>{language || say('code')}</span>
        {!isGrowing && <CopyButton label={say('copyCode')} text={text} />}
      </figcaption>
      <ScrollBox label={say('code')}>
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
    </figure>
  );
}

function UncoloredCode({ text }: HighlightedCodeProps) {
  return [text];
}
