import { lazy, Suspense } from 'react';
import { useTranslations } from 'use-intl/react';
import { CopyButton } from '../controls/copy-button.tsx';
import type { DiagramViewProps } from './diagrams/diagram-view.tsx';
import type { HighlightedCodeProps } from './highlighted-code.tsx';
import { ScrollBox } from './scroll-box.tsx';
import { withVisibleBidiControls } from './visible-controls.tsx';

/** Highlighting longer code would block the page. */
const maxHighlightedCharacters = 15_000;

// The chunks can fail to load, for example after a deployment. The code then has no colors, and a diagram is shown as code.
const HighlightedCode = lazy(() => import('./highlighted-code.tsx').catch(() => ({ default: PlainCode })));
const DiagramView = lazy(() => import('./diagrams/diagram-view.tsx').catch(() => ({ default: DiagramAsCode })));

const languageNames: Readonly<Record<string, string>> = {
  ...{ bash: 'Bash', sh: 'Shell', shell: 'Shell', console: 'Console', powershell: 'PowerShell' },
  ...{ js: 'JavaScript', javascript: 'JavaScript', ts: 'TypeScript', typescript: 'TypeScript', jsx: 'JSX', tsx: 'TSX' },
  ...{ py: 'Python', python: 'Python', r: 'R', sql: 'SQL', mysql: 'MySQL', postgresql: 'PostgreSQL' },
  ...{ c: 'C', cpp: 'C++', 'c++': 'C++', cs: 'C#', csharp: 'C#', go: 'Go', java: 'Java', rust: 'Rust', ruby: 'Ruby' },
  ...{ html: 'HTML', xml: 'XML', css: 'CSS', json: 'JSON', yaml: 'YAML', yml: 'YAML', csv: 'CSV', diff: 'Diff' },
};

type CodeBlockProps = { language: string; text: string; isGrowing: boolean };

/** Highlights code, and draws a diagram, once the block is complete. Highlighting does not change the layout. */
export function CodeBlock({ language, text, isGrowing }: CodeBlockProps) {
  const t = useTranslations('conversation');
  const tDiagram = useTranslations('diagrams');
  const isDiagram = language === 'mermaid';
  const name = isDiagram ? tDiagram('name') : (languageNames[language] ?? language);
  const isHighlighted = !isGrowing && language !== '' && text.length <= maxHighlightedCharacters;
  const copyButton = isGrowing ? null : <CopyButton label={t('copyCode')} text={text} />;
  const code = (
    <ScrollBox label={t('code')}>
      <pre>
        <code>
          {isHighlighted ? (
            <Suspense fallback={withVisibleBidiControls(text)}>
              <HighlightedCode language={language} text={text} />
            </Suspense>
          ) : (
            withVisibleBidiControls(text)
          )}
        </code>
      </pre>
    </ScrollBox>
  );
  return (
    <figure
      className="code-block"
      aria-label={isDiagram || name === '' ? name || t('code') : t('codeIn', { language: name })}
      dir="ltr"
    >
      {!isGrowing && isDiagram ? (
        <Suspense fallback={<DiagramAsCode isLoading copyButton={copyButton} code={code} />}>
          <DiagramView source={text} copyButton={copyButton} code={code} />
        </Suspense>
      ) : (
        <>
          <figcaption>
            <span>{name || t('code')}</span>
            {copyButton}
          </figcaption>
          {code}
        </>
      )}
    </figure>
  );
}

type DiagramAsCodeProps = Pick<DiagramViewProps, 'copyButton' | 'code'> & { isLoading?: boolean };

function DiagramAsCode({ isLoading = false, copyButton, code }: DiagramAsCodeProps) {
  const t = useTranslations('diagrams');
  return (
    <>
      <figcaption>
        <span>{t('name')}</span>
        {copyButton}
      </figcaption>
      <div data-unfinished={isLoading ? '' : undefined}>{code}</div>
    </>
  );
}

function PlainCode({ text }: HighlightedCodeProps) {
  return withVisibleBidiControls(text);
}
