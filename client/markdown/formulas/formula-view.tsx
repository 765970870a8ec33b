import { createElement, memo, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { ScrollBox } from '../scroll-box.tsx';
import { copyFormulasAsSource } from './copied-selection.ts';
import { createFormulaScheduler } from './formula-scheduler.ts';

type FormulaViewProps = { tex: string; source: string; isDisplay: boolean };

/** A formula as MathML, or its source until it is typeset and if that fails. */
export const FormulaView = memo(function FormulaView({ tex, source, isDisplay }: FormulaViewProps) {
  const container = useRef<HTMLElement>(null);
  const typeset = useSyncExternalStore(subscribeToTypesetter, currentTypesetter, () => undefined);

  useLayoutEffect(() => {
    const element = container.current;
    if (element === null) return;
    const draw = () => {
      element.toggleAttribute('data-unfinished', false);
      const isTypeset = typeset?.(tex, isDisplay, element) ?? false;
      element.classList.toggle('formula-source', !isTypeset);
      if (isTypeset) element.append(copyOf(source));
      else element.textContent = source;
    };
    const cancel = scheduleDrawing(tex, draw);
    if (cancel === undefined) return;
    element.toggleAttribute('data-unfinished', true);
    element.classList.add('formula-source');
    element.textContent = source;
    return cancel;
  }, [typeset, tex, source, isDisplay]);

  // The element has no children in React, which would remove the nodes that the effect creates.
  return createElement('span', {
    ref: container,
    className: isDisplay ? 'formula formula-display' : 'formula',
    dir: 'ltr',
  });
});

/** Hidden, except while a selection is copied. */
function copyOf(source: string): HTMLElement {
  const element = document.createElement('span');
  element.className = 'formula-copy';
  element.textContent = source;
  return element;
}

export function FormulaBlock({ tex, source }: { tex: string; source: string }) {
  const t = useTranslations('formulas');
  return (
    <ScrollBox label={t('formula')}>
      <FormulaView tex={tex} source={source} isDisplay />
    </ScrollBox>
  );
}

const scheduleDrawing = createFormulaScheduler((work) => setTimeout(work));

type Typesetter = typeof import('./typeset-formula.ts').typesetFormula;

let loading: Promise<void> | undefined;
let loaded: Typesetter | undefined;

/** Loads the typesetter, a separate chunk because most replies have no formulas. After a failure, the next call retries. */
export function loadTypesetter(): Promise<void> {
  loading ??= import('./typeset-formula.ts').then(
    (module) => {
      loaded = module.typesetFormula;
      copyFormulasAsSource();
    },
    () => {
      loading = undefined;
    },
  );
  return loading;
}

const currentTypesetter = () => loaded;

/** Loads the typesetter and calls `listener` once. For `useSyncExternalStore`. */
function subscribeToTypesetter(listener: () => void): () => void {
  let isListening = true;
  loadTypesetter().then(() => {
    if (isListening) listener();
  });
  return () => {
    isListening = false;
  };
}

/** The typesetter is loaded in advance for such text, so that formulas do not change their height later. */
export function mayHaveFormula(text: string): boolean {
  return ['\\(', '\\[', '$'].some((mark) => text.includes(mark));
}
