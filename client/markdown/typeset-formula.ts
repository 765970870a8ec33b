import temml from 'temml';
import { maxFormulaCharacters } from './formulas.ts';

/** Formulas cannot link, load anything, set classes or ids, or expand without limit. */
const options = {
  throwOnError: true,
  trust: false,
  strict: false,
  maxExpand: 200,
  maxSize: [20, 200],
} satisfies Partial<Parameters<typeof import('temml').render>[2]>;

function formulaOptions(isDisplay: boolean) {
  return { ...options, displayMode: isDisplay, annotate: true, macros: {} };
}

/** Commands that define macros: with macros, a few lines of TeX can expand without limit. Letters after `\\` are not commands. */
const definesMacros =
  /(?<!\\)(?:\\\\)*\\(?:[gex]?def|global|long|(?:future)?let|(?:re)?newcommand|providecommand)(?![a-zA-Z@])/;

/** Commands that render their argument up to three times, so that nesting triples the size with each level. */
const repeating = /\\(?:cancelto|(?:math)?llap|equilibrium(?:Left|Right))(?![a-zA-Z@])/g;

/** Rendering more elements would block the page. Formulas that people read have fewer. */
const maxElements = 2000;
const maxRepeatedCharacters = 40_000;

type Tree = { children?: readonly Tree[]; toNode: () => Node; toMarkup: () => string };

// The type definitions of temml export this function as `renderToMathMLTree`.
const { __renderToMathMLTree: renderTree } = temml as unknown as {
  __renderToMathMLTree: (tex: string, settings: ReturnType<typeof formulaOptions>) => Tree;
};

/** Returns the MathML of `tex` as a tree, or undefined if it is invalid, defines macros or is too large. */
export function formulaTree(tex: string, isDisplay: boolean): Tree | undefined {
  if (tex.length > maxFormulaCharacters || definesMacros.test(tex)) return undefined;
  const repetitions = tex.match(repeating)?.length ?? 0;
  if (repetitions > 0 && tex.length * 3 ** repetitions > maxRepeatedCharacters) return undefined;
  try {
    const tree = renderTree(tex, formulaOptions(isDisplay));
    return hasMoreElements(tree, maxElements) ? undefined : tree;
  } catch {
    return undefined;
  }
}

function hasMoreElements(tree: Tree, limit: number): boolean {
  let count = 0;
  const open: Tree[] = [tree];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    count += 1;
    if (count > limit) return true;
    open.push(...(node.children ?? []));
  }
  return false;
}

/**
 * Replaces the content of `container` with the MathML of `tex`. Returns false, without a change, if the TeX is invalid or too
 * large.
 */
export function typesetFormula(tex: string, isDisplay: boolean, container: HTMLElement): boolean {
  const tree = formulaTree(tex, isDisplay);
  if (tree === undefined) return false;
  const rendered = document.createElement('span');
  rendered.append(tree.toNode());
  // Labels become ids, which could collide with other ids on the page.
  for (const element of rendered.querySelectorAll('[id], [href]')) {
    element.removeAttribute('id');
    element.removeAttribute('href');
  }
  container.replaceChildren(...rendered.childNodes);
  return true;
}
