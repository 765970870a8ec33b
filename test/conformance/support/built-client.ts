import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createBuiltPages } from '../../../server/pages/built-pages.ts';
import { temporaryDirectory } from '../../support/served-process.ts';

export async function createFakeBuild() {
  const { path, remove } = await temporaryDirectory();
  await mkdir(join(path, 'assets'));
  await writeFile(join(path, 'index.html'), builtPage);
  await writeFile(join(path, 'assets', 'app.js'), 'export {};');
  return { pages: createBuiltPages(path), remove };
}

export const builtPage = '<!doctype html><title>Advisory Chat</title>';
