import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../support/served-process.ts';
import { filePath, renderFile } from './retry-table-file.ts';

writeFileSync(join(root, filePath), renderFile());
