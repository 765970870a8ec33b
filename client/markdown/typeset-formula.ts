import temml from 'temml';
import { maxFormulaCharacters } from './formulas.ts';

/** Nothing that a formula is made of may link, load, name a class or an id, or grow without end. */
const options = {
  throwOnError: true,
  trust: false,
  strict: false,
  maxExpand: 200,
  maxSize: [20, 200],
} satisfies Partial<Parameters<typeof temml.render>[2]>;

/** The options of one formula. `macros` is its own: what one defines, no other has. */
export function formulaOptions(isDisplay: boolean) {
  return { ...options, displayMode: isDisplay, annotate: true, macros: {} };
}

/**
 * Draws TeX as MathML in `place`, in the stead of what was in it. False, with `place` left as it was, where it is not TeX
 * or would take too much.
 */
export function typesetFormula(tex: string, isDisplay: boolean, place: HTMLElement): boolean {
  if (tex.length > maxFormulaCharacters) return false;
  const drawn = document.createElement('span');
  try {
    temml.render(tex, drawn, formulaOptions(isDisplay));
  } catch {
    return false;
  }
  // A label is an id on the page, where another may have it.
  for (const element of drawn.querySelectorAll('[id], [href]')) {
    element.removeAttribute('id');
    element.removeAttribute('href');
  }
  place.replaceChildren(...drawn.childNodes);
  return true;
}
