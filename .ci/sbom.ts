import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import process from 'node:process';

/**
 * Prints the bill of materials of what runs in production, in CycloneDX' JSON, from the lockfile: the server's packages
 * and those that are built into the client. `npm sbom --omit dev` names neither the client's packages nor those of the
 * server that a development package needs too.
 */

type Bill = {
  metadata: { component: { name: string } };
  components: { 'bom-ref': string; name: string; properties?: unknown }[];
  dependencies: { ref: string; dependsOn?: string[] }[];
};

const root = new URL('..', import.meta.url);
const { name, dependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));

// Also where NODE_ENV is production: npm would leave out what the client is built of.
const options = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only', '--include', 'dev'];
const bill: Bill = JSON.parse(
  execFileSync('npm', ['sbom', ...options], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 }),
);

const [{ dependsOn: direct = [] } = {}] = bill.dependencies;
const needs = new Map(bill.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
const wanted = new Set([...Object.keys(dependencies), ...packagesOfTheClient()]);
const shipped = new Set<string>();
const waiting = direct.filter((ref) => wanted.has(nameOf(ref)));
for (const ref of waiting) {
  if (shipped.has(ref)) continue;
  shipped.add(ref);
  waiting.push(...(needs.get(ref) ?? []));
}

const self = bill.dependencies[0]?.ref;
bill.metadata.component.name = name;
// npm's only property is the mark of development packages, which the client's are to it.
bill.components = bill.components
  .filter((component) => shipped.has(component['bom-ref']))
  .map((component) => ({ ...component, properties: [] }));
bill.dependencies = bill.dependencies
  .filter(({ ref }) => ref === self || shipped.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((needed) => shipped.has(needed)) }));
process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`);

/** The packages that the sources of the client import. */
function packagesOfTheClient(): string[] {
  const files = globSync('{client,shared}/**/*.{ts,tsx}', { cwd: root });
  const texts = files.map((file) => readFileSync(new URL(file, root), 'utf8'));
  return texts.flatMap((text) =>
    [...text.matchAll(/(?:from|import)\s*\(?'((?:@[\w.-]+\/)?[\w-][\w.-]*)/g)].map(([, imported = '']) => imported),
  );
}

/** `@scope/name` of `@scope/name@1.2.3`. */
function nameOf(ref: string): string {
  return ref.slice(0, ref.lastIndexOf('@'));
}
