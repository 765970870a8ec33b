import { memo, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { ScrollBox } from '../scroll-box.tsx';
import { createFormulaScheduler } from './formula-scheduler.ts';

type FormulaViewProps = { tex: string; source: string; isDisplay: boolean };

/** Shows the source until the formula is typeset as MathML, or if typesetting fails. */
export const FormulaView = memo(function FormulaView({ tex, source, isDisplay }: FormulaViewProps) {
  const container = useRef<HTMLSpanElement>(null);
  const typeset = useSyncExternalStore(subscribeToTypesetter, currentTypesetter, () => undefined);

  useLayoutEffect(() => {
    const element = container.current;
    if (element === null) return;
    const draw = () => {
      element.toggleAttribute('data-unfinished', false);
      const isTypeset = typeset?.(tex, isDisplay, element) ?? false;
      element.classList.toggle('formula-source', !isTypeset);
      if (isTypeset) element.append(copyableSource(source));
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
  return <span ref={container} className={isDisplay ? 'formula formula-display' : 'formula'} dir="ltr" />;
});

/** The style sheet hides this element, except while a selection is copied. */
function copyableSource(source: string): HTMLElement {
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

const copyingAttribute = 'data-copying';

/** Copies the source of the formulas in a selection, because the text of MathML is fragments: `1` and `2` for a fraction. */
function copyFormulasAsSource(): void {
  document.addEventListener('copy', (event) => {
    const selection = getSelection();
    if (event.defaultPrevented || event.clipboardData === null || selection === null || !hasFormula(selection)) return;
    event.clipboardData.setData('text/plain', textOf(selection));
    event.clipboardData.setData('text/html', htmlOf(selection));
    event.preventDefault();
  });
}

function hasFormula(selection: Selection): boolean {
  const formulas = document.querySelectorAll('.formula > math');
  return Array.from(formulas).some((formula) => selection.containsNode(formula, true));
}

/** The style sheet replaces each formula with its source, and the browser adds the line breaks. Nothing is painted in between. */
function textOf(selection: Selection): string {
  const root = document.documentElement;
  root.toggleAttribute(copyingAttribute, true);
  const text = selection.toString();
  root.toggleAttribute(copyingAttribute, false);
  return text;
}

/** Removes the controls and the source, because other programs show MathML and would show the source beside it. */
function htmlOf(selection: Selection): string {
  const copy = document.createElement('div');
  for (let index = 0; index < selection.rangeCount; index += 1)
    copy.append(selection.getRangeAt(index).cloneContents());
  for (const hidden of copy.querySelectorAll('button, figcaption, annotation, .formula-copy, [role="status"], .chart'))
    hidden.remove();
  return copy.innerHTML;
}
