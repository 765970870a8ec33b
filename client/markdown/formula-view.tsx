import { createElement, memo, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { currentTypesetter, whenTypesetterIsLoaded } from './load-typesetter.ts';
import { ScrollBox } from './scroll-box.tsx';

type FormulaViewProps = { tex: string; written: string; isDisplay: boolean };

/** A formula as MathML; as it was written until what draws it is here, and where it is not TeX. */
export const FormulaView = memo(function FormulaView({ tex, written, isDisplay }: FormulaViewProps) {
  const place = useRef<HTMLElement>(null);
  const typeset = useSyncExternalStore(whenTypesetterIsLoaded, currentTypesetter, () => undefined);

  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    const isDrawn = typeset?.(tex, isDisplay, element) ?? false;
    element.classList.toggle('formula-source', !isDrawn);
    if (!isDrawn) element.textContent = written;
  }, [typeset, tex, written, isDisplay]);

  // The effect alone puts something into it: React would take out again what it does not know.
  return createElement('span', {
    ref: place,
    className: isDisplay ? 'formula formula-display' : 'formula',
    dir: 'ltr',
  });
});

/** A formula on lines of its own. A long one scrolls. */
export function FormulaBlock({ tex, written }: { tex: string; written: string }) {
  const say = useTranslations('formulas');
  return (
    <ScrollBox label={say('formula')}>
      <FormulaView tex={tex} written={written} isDisplay />
    </ScrollBox>
  );
}
