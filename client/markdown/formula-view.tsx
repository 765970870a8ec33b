import { createElement, memo, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { createFormulaTurns } from './formula-turns.ts';
import { ScrollBox } from './scroll-box.tsx';

type FormulaViewProps = { tex: string; written: string; isDisplay: boolean };

/** A formula as MathML; as it was written until what draws it is here, and where it is not TeX. */
export const FormulaView = memo(function FormulaView({ tex, written, isDisplay }: FormulaViewProps) {
  const place = useRef<HTMLElement>(null);
  const typeset = useSyncExternalStore(whenTypesetterIsLoaded, currentTypesetter, () => undefined);

  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    const draw = () => {
      const isDrawn = typeset?.(tex, isDisplay, element) ?? false;
      element.classList.toggle('formula-source', !isDrawn);
      if (!isDrawn) element.textContent = written;
    };
    const cancel = drawInTurn(tex, draw);
    if (cancel === undefined) return;
    element.classList.add('formula-source');
    element.textContent = written;
    return cancel;
  }, [typeset, tex, written, isDisplay]);

  // Only the effect changes its content: React would remove nodes that it did not create.
  return createElement('span', {
    ref: place,
    className: isDisplay ? 'formula formula-display' : 'formula',
    dir: 'ltr',
  });
});

/** A formula on lines of its own. A long one scrolls. */
export function FormulaBlock({ tex, written }: { tex: string; written: string }) {
  const t = useTranslations('formulas');
  return (
    <ScrollBox label={t('formula')}>
      <FormulaView tex={tex} written={written} isDisplay />
    </ScrollBox>
  );
}

const drawInTurn = createFormulaTurns((work) => setTimeout(work));

type Typesetter = typeof import('./typeset-formula.ts').typesetFormula;

let loading: Promise<void> | undefined;
let loaded: Typesetter | undefined;

/** Fetches what draws formulas, a chunk of its own, for most replies have none. After a failure, the next call tries again. */
export function loadTypesetter(): Promise<void> {
  loading ??= import('./typeset-formula.ts').then(
    (module) => {
      loaded = module.typesetFormula;
    },
    () => {
      loading = undefined;
    },
  );
  return loading;
}

/** What draws formulas, or undefined where it is not here yet. */
export const currentTypesetter = () => loaded;

/** Loads what draws formulas and calls `listener` when it is here, in the shape that `useSyncExternalStore` asks for. */
export function whenTypesetterIsLoaded(listener: () => void): () => void {
  let isListening = true;
  loadTypesetter().then(() => {
    if (isListening) listener();
  });
  return () => {
    isListening = false;
  };
}

/** Whether `text` may come to hold a formula: then what draws it is fetched ahead, and nothing changes its height later. */
export function mayHaveFormula(text: string): boolean {
  return ['\\(', '\\[', '$'].some((mark) => text.includes(mark));
}
