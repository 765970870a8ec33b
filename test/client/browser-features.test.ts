import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { CompatData, Identifier, SimpleSupportStatement } from '@mdn/browser-compat-data';
import { getLibFiles, libFolderInMemoryPath, ts } from '@ts-morph/common';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { browsers } from '../../shared/browsers.ts';
import { root } from '../support/served-process.ts';

const data: CompatData = createRequire(import.meta.url)('@mdn/browser-compat-data');

/** What the client uses although a supported browser lacks it, and what happens there instead. */
const accepted: Record<string, string> = {
  ':-webkit-search-cancel-button': 'A browser without this button of its own needs no style that hides it.',
  ':highlight': 'Only the highlight of a found passage and its style in print are missing.',
  '@page': 'The page is printed with the margins of the browser.',
  'CSS.highlights': 'The page scrolls to a found passage without highlighting it.',
  'CSSStyleProperties.contentVisibility': 'All turns are laid out.',
  'ClipboardItem.supports': 'The picture is copied as PNG only.',
  Highlight: 'Constructed only if there is `CSS.highlights`.',
  'animation-range': 'The head row of a wide table scrolls away.',
  'animation-timeline': 'The head row of a wide table scrolls away.',
  'break-after: avoid': 'Pages break where the browser breaks them.',
  cancelIdleCallback: 'Called only if there is `requestIdleCallback`.',
  'content-visibility': 'Everything is laid out.',
  'cursor: default': 'Phones have no pointer.',
  'cursor: pointer': 'Phones have no pointer.',
  'cursor: zoom-in': 'Phones have no pointer.',
  'display: math': 'MathML has it by default.',
  'event beforematch': 'A folded question unfolds by its button only.',
  'event touchmove': 'A computer scrolls by `wheel`.',
  'event wheel': 'A phone scrolls by `touchmove`.',
  'font-family: math': 'The fonts listed after it.',
  'forced-color-adjust': 'Safari has no forced colors.',
  orphans: 'Pages break where the browser breaks them.',
  'overflow-anchor': 'Without scroll anchoring there is none to turn off.',
  'overflow-clip-margin': 'Styles that need it are in `@supports`; elsewhere the edge of a focus outline is cut.',
  'print-color-adjust': 'The background is printed if the user chooses so.',
  requestIdleCallback: 'A short timer.',
  resize: 'The field scrolls.',
  'text-align: match-parent': 'Tables use the prefixed value, and a name is aligned by its own direction.',
  'text-size-adjust': 'Browsers without it do not enlarge text.',
  'text-wrap: pretty': 'Lines break as usual.',
  'user-select': 'Safari has it with the prefix -webkit-, which the style sheet uses too.',
  'view-timeline': 'The head row of a wide table scrolls away.',
  'view-timeline-inset': 'The head row of a wide table scrolls away.',
  widows: 'Pages break where the browser breaks them.',
  'word-break: auto-phrase': 'Lines break as usual.',
};

/** The oldest version of each supported browser, by its name in the data. Mobile browsers have the same versions as desktop ones. */
const oldest = {
  chrome: browsers.Chrome,
  chrome_android: browsers.Chrome,
  edge: browsers.Edge,
  firefox: browsers.Firefox,
  firefox_android: browsers.Firefox,
  safari: browsers.Safari,
  safari_ios: browsers.Safari,
};

const isIn = (name: string) => (identifier: Identifier | undefined) => identifier !== undefined && name in identifier;

/** Returns false if the data says that one of the oldest versions lacks `feature`. */
function isSupported(feature: Identifier): boolean {
  const support = feature.__compat?.support;
  if (support === undefined) return true;
  return Object.entries(oldest).every(([browser, version]) => {
    const statements = [support[browser as keyof typeof oldest] ?? []].flat();
    return statements.length === 0 || statements.some((statement) => isSince(statement, version));
  });
}

function isSince(statement: SimpleSupportStatement, version: string): boolean {
  const { version_added: added, version_removed: removed, flags, prefix, alternative_name } = statement;
  if (!added || flags || prefix || alternative_name) return false;
  const isBy = (time: string) => Number.parseFloat(time.replace('≤', '')) <= Number.parseFloat(version);
  return isBy(added) && !(removed && isBy(removed));
}

const { api, css, html, javascript } = data;
const interfaces: Record<string, Identifier | undefined> = {
  ...api,
  ...javascript.builtins,
  ...javascript.builtins?.Intl,
};
const isMissing = (features: readonly (Identifier | undefined)[]) => {
  const known = features.filter((feature) => feature?.__compat !== undefined);
  return known.length > 0 && known.every((feature) => feature !== undefined && !isSupported(feature));
};

/**
 * Returns the data on a member of an interface, which is a CSS property for an interface of styles. If the interface lacks the
 * member, returns the data on that member of all interfaces.
 */
function membersOf(owner: string, name: string): (Identifier | undefined)[] {
  if (owner.startsWith('CSSStyle'))
    return [css.properties?.[name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)]];
  const named = interfaces[owner];
  const found = [named?.[name], named?.[`${name}_static`]].filter((feature) => feature !== undefined);
  return found.length > 0
    ? found
    : Object.values(interfaces)
        .filter(isIn(name))
        .map((other) => other?.[name]);
}

/** Returns the name of the interface, namespace or constructor that `declaration` of a library is a member of. */
function ownerOf(declaration: ts.Declaration): string | undefined {
  const owner = ts.findAncestor(
    declaration.parent,
    (node) => ts.isInterfaceDeclaration(node) || ts.isModuleDeclaration(node) || ts.isVariableDeclaration(node),
  );
  return owner?.name.getText().replace(/Constructor$/, '');
}

function missingInScripts(paths: readonly string[]): Set<string> {
  const missing = new Set<string>();
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ESNext,
    lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    jsx: ts.JsxEmit.ReactJSX,
    strict: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const libraries = new Map(getLibFiles().map(({ fileName, text }) => [`${libFolderInMemoryPath}/${fileName}`, text]));
  const { readFile, fileExists } = host;
  host.getDefaultLibLocation = () => libFolderInMemoryPath;
  host.readFile = (path) => libraries.get(path) ?? readFile(path);
  host.fileExists = (path) => libraries.has(path) || fileExists(path);
  const program = ts.createProgram([...paths], options, host);
  const checker = program.getTypeChecker();
  const libraryDeclarations = (node: ts.Node) =>
    (checker.getSymbolAtLocation(node)?.declarations ?? []).filter((declaration) =>
      program.isSourceFileDefaultLibrary(declaration.getSourceFile()),
    );

  function visitName(node: ts.Identifier): void {
    for (const declaration of libraryDeclarations(node)) {
      const owner = ownerOf(declaration);
      const features =
        owner === undefined ? [interfaces[node.text], api.Window?.[node.text]] : membersOf(owner, node.text);
      if (isMissing(features)) missing.add(owner === undefined ? node.text : `${owner}.${node.text}`);
    }
  }

  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return;
    if (ts.isIdentifier(node)) visitName(node);
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const [event] = node.arguments;
      if (node.expression.name.text === 'addEventListener' && event && ts.isStringLiteral(event)) {
        const features = Object.values<Identifier>(api).map((owner) => owner[`${event.text}_event`]);
        if (isMissing(features)) missing.add(`event ${event.text}`);
      }
    }
    if (ts.isJsxAttribute(node) && ts.isIdentifier(node.name)) {
      const tag = node.parent.parent.tagName.getText();
      const name = node.name.text.toLowerCase();
      const feature = html.elements?.[tag]?.[name] ?? html.global_attributes?.[name];
      if (/^[a-z]/.test(tag) && isMissing([feature])) missing.add(`<${tag} ${name}>`);
    }
    ts.forEachChild(node, visit);
  };
  for (const path of paths) {
    const file = program.getSourceFile(path);
    if (file) visit(file);
  }
  return missing;
}

function missingInStyles(paths: readonly string[]): Set<string> {
  const missing = new Set<string>();
  const add = (name: string, feature: Identifier | undefined) => {
    if (isMissing([feature])) missing.add(name);
  };
  for (const path of paths) {
    const text = readFileSync(path, 'utf8').replaceAll(/\/\*.*?\*\//gs, ' ');
    for (const [, property = '', value = ''] of text.matchAll(/[{;\s]([a-z-]+):\s*([^;{}]+)[;}]/g)) {
      const known = css.properties?.[property];
      add(property, known);
      if (missing.has(property)) continue;
      for (const word of value.split(/[\s,()]+/))
        add(`${property}: ${word}`, known?.[word] ?? known?.[word.replaceAll('-', '_')]);
      for (const [, name = ''] of value.matchAll(/([a-z-]+)\(/g))
        add(`${name}()`, css.types?.[name] ?? css.types?.color?.[name]);
    }
    for (const [, name = ''] of text.matchAll(/::?([a-z-]+)/g)) add(`:${name}`, css.selectors?.[name]);
    for (const [, name = ''] of text.matchAll(/@([a-z-]+)/g)) add(`@${name}`, css['at-rules']?.[name]);
    for (const [, name = ''] of text.matchAll(/\(([a-z-]+)\s*[:)<>]/g))
      add(`(${name})`, css['at-rules']?.media?.[name]);
  }
  return missing;
}

describe('The client', () => {
  it('uses only features that all supported browsers have, apart from those with a fallback', () => {
    const files = (pattern: string) =>
      globSync(pattern, { cwd: join(root, 'client') }).map((path) => join(root, 'client', path));
    const missing = [...missingInScripts(files('**/*.{ts,tsx}')), ...missingInStyles(files('**/*.css'))];
    expect(missing.toSorted()).to.deep.equal(Object.keys(accepted).toSorted());
  });
});
