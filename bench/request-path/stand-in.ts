import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';

/**
 * From now on whoever imports `module`, a path in the project, gets the one at the address `by`, which may itself import what it
 * stands in for. For a process of the benchmark alone: the product has no switch for it.
 */
export function standIn(module: string, by: string): void {
  const replaced = new URL(`../../${module}`, import.meta.url);
  if (!existsSync(replaced)) throw new Error(`There is no ${module} to stand in for.`);
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      return found.url === replaced.href && context.parentURL !== by ? { ...found, url: by } : found;
    },
  });
}
