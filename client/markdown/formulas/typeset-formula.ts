import temml from 'temml';
import { maxFormulaCharacters, readFormula } from '../parsing/formulas.ts';

/** Formulas cannot open or load URLs, set classes, or expand without limit. */
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

/** Commands that define macros: with macros, a few lines of TeX can become a huge formula. Letters after `\\` are not commands. */
const definesMacros =
  /(?<!\\)(?:\\\\)*\\(?:[gex]?def|global|long|(?:future)?let|(?:re)?newcommand|providecommand)(?![a-zA-Z@])/;

/** Commands that render their argument up to three times, so that nesting can triple the size with each level. */
const repeating = /\\(?:cancelto|(?:math)?llap|equilibrium(?:Left|Right))(?![a-zA-Z@])/g;

/** Rendering more elements would block the page. Formulas that people read have fewer. */
const maxElements = 2000;

/** Each level of nested roots doubles the height. Six nested fractions or roots have 16 levels if each contains a sum. */
const maxLevels = 24;
const maxRepeatedCharacters = 40_000;

type Tree = { children?: readonly Tree[]; toNode: () => Node; toMarkup: () => string };

// The type definitions of temml export this function as `renderToMathMLTree`.
const { __renderToMathMLTree: renderTree } = temml as unknown as {
  __renderToMathMLTree: (tex: string, settings: ReturnType<typeof formulaOptions>) => Tree;
};

const textCommand = /^\\(?:text(?:rm|bf|it|tt|sf|up|md|normal)?|emph|hbox|fbox)$/;
const signs = /\\(?:[a-zA-Z]+|.)|[{}%#&_$]/gs;

/**
 * Escapes the characters that models forget to escape: `%` and `#`, and in `\text{…}` also `&`, `_` and a `$` that starts no formula.
 * TeX would ignore the rest of the formula after `%`, and reject the formula for the others.
 */
function withLiteralSigns(tex: string): string {
  const outerGroups: boolean[] = [];
  let [isText, startsText] = [false, false];
  let [result, copiedTo] = ['', 0];
  signs.lastIndex = 0;
  for (let found = signs.exec(tex); found !== null; found = signs.exec(tex)) {
    const [sign] = found;
    const formula = isText && sign === '$' ? readFormula(tex, found.index) : undefined;
    if (formula !== undefined) signs.lastIndex = formula.end;
    else if (sign === '{') {
      outerGroups.push(isText);
      isText ||= startsText;
    } else if (sign === '}') isText = outerGroups.pop() ?? false;
    else if (sign === '%' || sign === '#' || (isText && sign.length === 1)) {
      result += `${tex.slice(copiedTo, found.index)}\\`;
      copiedTo = found.index;
    }
    startsText = textCommand.test(sign);
  }
  return result + tex.slice(copiedTo);
}

/** Returns the MathML of `tex` as a tree, or undefined if it is invalid, defines macros or is too large. */
export function formulaTree(tex: string, isDisplay: boolean): Tree | undefined {
  if (tex.length > maxFormulaCharacters || definesMacros.test(tex)) return undefined;
  const repetitions = tex.match(repeating)?.length ?? 0;
  if (repetitions > 0 && tex.length * 3 ** repetitions > maxRepeatedCharacters) return undefined;
  try {
    const tree = renderTree(withLiteralSigns(tex), formulaOptions(isDisplay));
    return isTooLarge(tree) ? undefined : tree;
  } catch {
    return undefined;
  }
}

function isTooLarge(tree: Tree): boolean {
  let elements = 0;
  const open = [{ node: tree, level: 1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, level } = next;
    elements += 1;
    if (elements > maxElements || level > maxLevels) return true;
    for (const child of node.children ?? []) open.push({ node: child, level: level + 1 });
  }
  return false;
}

/** Returns false, and changes nothing, if the browser does not support MathML, or if `formulaTree` rejects the TeX. */
export function typesetFormula(tex: string, isDisplay: boolean, container: HTMLElement): boolean {
  const tree = supportsMathMl() ? formulaTree(tex, isDisplay) : undefined;
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

/** If MathML is switched off, as in Safari's Lockdown Mode, its elements are plain elements without `style`. */
function supportsMathMl(): boolean {
  return 'style' in document.createElementNS(mathMl, 'math');
}

const mathMl = 'http://www.w3.org/1998/Math/MathML';

const tags = /<(\/?[a-z]+)((?: [a-z-]+="[^"]*")*)>/g;

/**
 * Returns the MathML of `tex` as text, for other programs: without styles and ids, and without the TeX, which they would show beside
 * the formula. Returns undefined if `formulaTree` rejects the TeX, or if it refers to another formula.
 */
export function formulaMarkup(tex: string, isDisplay: boolean): string | undefined {
  const markup = formulaTree(tex, isDisplay)
    ?.toMarkup()
    .replace(/<annotation .*?<\/annotation>|<\/?semantics>/gs, '');
  if (!markup?.startsWith('<math') || /[<>]/.test(markup.replace(tags, ''))) return undefined;
  return markup
    .replace(
      tags,
      (_, tag: string, attributes: string) => `<${tag}${attributes.replace(/ (?:class|style|id)="[^"]*"/g, '')}>`,
    )
    .replace('<math', `<math xmlns="${mathMl}"`);
}
