import { glob, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ts } from '@ts-morph/common';

/** Removes every declaration in `directory` that `entries` cannot reach, so that only the public API is published. */
export async function retainPublicTypes(directory: string, entries: readonly string[]): Promise<void> {
  const program = ts.createProgram([...entries], {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ESNext,
    skipLibCheck: true,
  });
  const checker = program.getTypeChecker();
  const retained = new Set<ts.Statement>();
  const retainedNames = new Map<ts.SourceFile, Set<string>>();

  function retainNames(statement: ts.Node, file: ts.SourceFile): void {
    const names = retainedNames.get(file) ?? new Set();
    retainedNames.set(file, names);
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node)) {
        names.add(node.text);
        retain(checker.getSymbolAtLocation(node));
      }
      ts.forEachChild(node, visit);
    };
    visit(statement);
  }

  function retain(symbol: ts.Symbol | undefined): void {
    if (symbol === undefined) return;
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    for (const declaration of target.declarations ?? []) {
      const file = declaration.getSourceFile();
      const statement = ts.findAncestor(declaration, (node): node is ts.Statement => node.parent === file);
      if (!file.fileName.startsWith(directory) || statement === undefined || retained.has(statement)) continue;
      retained.add(statement);
      if (!isKeysOf(statement)) retainNames(statement, file);
    }
  }

  /** Replaces `keyof typeof table` with a union of the keys, so that the table itself is not published. */
  function inlineKeys(statement: ts.TypeAliasDeclaration, file: ts.SourceFile): string {
    const type = checker.getTypeAtLocation(statement.name);
    const keys = type.isUnion() ? type.types.map((each) => checker.typeToString(each)) : [checker.typeToString(type)];
    return statement.getFullText(file).replace(statement.type.getText(file), keys.join(' | '));
  }

  for (const entry of entries) {
    const file = program.getSourceFile(entry);
    if (file === undefined) throw new Error(`No declarations found at ${entry}.`);
    for (const statement of file.statements) {
      retained.add(statement);
      retainNames(statement, file);
    }
  }

  const outputs = new Map<string, string>();
  const isUsed = (file: ts.SourceFile, name: string) => retainedNames.get(file)?.has(name) ?? false;
  for (const file of program.getSourceFiles()) {
    if (!file.fileName.startsWith(directory)) continue;
    const statements = file.statements.flatMap((statement) => {
      if (retained.has(statement))
        return [isKeysOf(statement) ? inlineKeys(statement, file) : statement.getFullText(file)];
      if (!ts.isImportDeclaration(statement)) return [];
      const bindings = statement.importClause?.namedBindings;
      const names = bindings && ts.isNamedImports(bindings) ? bindings.elements : undefined;
      const usedNames = names?.filter(({ name }) => isUsed(file, name.text)).map((name) => name.getText(file));
      if (!usedNames || usedNames.length === 0) return [];
      const from = statement.moduleSpecifier.getText(file);
      const type = statement.importClause?.isTypeOnly ? 'type ' : '';
      return [`\nimport ${type}{ ${usedNames.join(', ')} } from ${from};`];
    });
    if (statements.length > 0) outputs.set(file.fileName, `${statements.join('').trim()}\n`);
  }
  for await (const name of glob('**/*.d.ts', { cwd: directory })) {
    const path = join(directory, name);
    const text = outputs.get(path);
    if (text === undefined) await rm(path);
    else await writeFile(path, text);
  }
}

function isKeysOf(statement: ts.Statement): statement is ts.TypeAliasDeclaration {
  return ts.isTypeAliasDeclaration(statement) && ts.isTypeOperatorNode(statement.type);
}
