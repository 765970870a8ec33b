import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../support/served-process.ts';
import { listTests } from './list-tests.ts';
import { pagePath, renderPage } from './render-page.ts';

writeFileSync(join(root, pagePath), renderPage(await listTests()));
