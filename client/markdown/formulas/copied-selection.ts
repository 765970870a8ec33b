const copying = 'data-copying';

/** Makes a copied selection contain the source of its formulas, whose text would be fragments: `1` and `2` for a fraction. */
export function copyFormulasAsSource(): void {
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
  root.toggleAttribute(copying, true);
  const text = selection.toString();
  root.toggleAttribute(copying, false);
  return text;
}

/** Other programs show MathML, and would show the source beside it. */
function htmlOf(selection: Selection): string {
  const copy = document.createElement('div');
  for (let index = 0; index < selection.rangeCount; index += 1)
    copy.append(selection.getRangeAt(index).cloneContents());
  for (const hidden of copy.querySelectorAll('button, figcaption, annotation, .formula-copy, [role="status"], .chart'))
    hidden.remove();
  return copy.innerHTML;
}
