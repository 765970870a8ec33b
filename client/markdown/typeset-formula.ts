import temml from 'temml';
import { maxFormulaCharacters } from './formulas.ts';

/** Nothing that a formula is made of may link, load, name a class or an id, or grow without end. */
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

/** Commands that define others: with these, a few lines of TeX draw without end. After `\\`, letters are letters. */
const definesMacros =
  /(?<!\\)(?:\\\\)*\\(?:[gex]?def|global|long|(?:future)?let|(?:re)?newcommand|providecommand)(?![a-zA-Z@])/;

/** Commands whose argument is built up to three times: in each other, they triple with each level. */
const repeating = /\\(?:cancelto|(?:math)?llap|equilibrium(?:Left|Right))(?![a-zA-Z@])/g;

/** A formula that draws more is none that people read, and would block the page. */
const maxElements = 2000;
const maxRepeatedCharacters = 40_000;

type Tree = { children?: readonly Tree[]; toNode: () => Node; toMarkup: () => string };

// Its types give it another name than the module does.
const { __renderToMathMLTree: renderTree } = temml as unknown as {
  __renderToMathMLTree: (tex: string, settings: ReturnType<typeof formulaOptions>) => Tree;
};

/** TeX as the tree of its MathML. Undefined where it is not TeX, defines macros, or would draw too much. */
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

function hasMoreElements(tree: Tree, most: number): boolean {
  let count = 0;
  const open: Tree[] = [tree];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    count += 1;
    if (count > most) return true;
    open.push(...(node.children ?? []));
  }
  return false;
}

/**
 * Draws TeX as MathML in `place`, in the stead of what was in it. False, with `place` left as it was, where it is not TeX
 * or would take too much.
 */
export function typesetFormula(tex: string, isDisplay: boolean, place: HTMLElement): boolean {
  const tree = formulaTree(tex, isDisplay);
  if (tree === undefined) return false;
  const drawn = document.createElement('span');
  drawn.append(tree.toNode());
  // A label is an id on the page, where another may have it.
  for (const element of drawn.querySelectorAll('[id], [href]')) {
    element.removeAttribute('id');
    element.removeAttribute('href');
  }
  place.replaceChildren(...drawn.childNodes);
  return true;
}
