import type { ReactNode } from 'react';

/**
 * Shows the characters that reorder text as their code points, because code would otherwise read differently from what it does.
 * They stay in the text, so that they are copied, and `bdi` contains their effect.
 */
export function withVisibleBidiControls(text: string): ReactNode {
  const parts = text.split(/(\p{Bidi_Control})/u);
  if (parts.length === 1) return text;
  return parts.map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts are only ever added at the end.
      <bdi key={index} className="control" data-code={codePointOf(part)}>
        {part}
      </bdi>
    ) : (
      part
    ),
  );
}

function codePointOf(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
