import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import process from 'node:process';

/**
 * Prints the bill of materials of production in CycloneDX JSON, from the lockfile: the server's packages and those that
 * are bundled into the client. `npm sbom --omit dev` omits the client's packages, and those of the server that a
 * development package also needs.
 */

type Bill = {
  metadata: { component: { name: string } };
  components: { 'bom-ref': string; name: string; properties?: unknown }[];
  dependencies: { ref: string; dependsOn?: string[] }[];
};

const root = new URL('..', import.meta.url);
const { name, dependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));

// With NODE_ENV=production npm would otherwise omit the packages of the client, which are development dependencies.
const options = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only', '--include', 'dev'];
const bill: Bill = JSON.parse(
  execFileSync('npm', ['sbom', ...options], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 }),
);

const [{ dependsOn: direct = [] } = {}] = bill.dependencies;
const needs = new Map(bill.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
const includedNames = new Set([...Object.keys(dependencies), ...importedByClient()]);
const shipped = new Set<string>();
const queue = direct.filter((ref) => includedNames.has(nameOf(ref)));
for (const ref of queue) {
  if (shipped.has(ref)) continue;
  shipped.add(ref);
  queue.push(...(needs.get(ref) ?? []));
}

const self = bill.dependencies[0]?.ref;
bill.metadata.component.name = name;
// npm marks the packages of the client as development packages, although the bundle ships them.
bill.components = bill.components
  .filter((component) => shipped.has(component['bom-ref']))
  .map((component) => ({ ...component, properties: [] }));
bill.dependencies = bill.dependencies
  .filter(({ ref }) => ref === self || shipped.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((needed) => shipped.has(needed)) }));
process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`);

/** Returns the names of the packages that the client's sources import. */
function importedByClient(): string[] {
  const files = globSync('{client,shared}/**/*.{ts,tsx}', { cwd: root });
  const texts = files.map((file) => readFileSync(new URL(file, root), 'utf8'));
  return texts.flatMap((text) =>
    [...text.matchAll(/(?:from|import)\s*\(?'((?:@[\w.-]+\/)?[\w-][\w.-]*)/g)].map(([, imported = '']) => imported),
  );
}

/** Returns `@scope/name` for `@scope/name@1.2.3`. */
function nameOf(ref: string): string {
  return ref.slice(0, ref.lastIndexOf('@'));
}
