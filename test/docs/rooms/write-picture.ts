import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../../support/document.ts';
import { root } from '../../support/served-process.ts';
import { readRoomImports } from './room-imports.ts';
import { documentPath, withPictures } from './rooms-picture.ts';

writeFileSync(join(root, documentPath), withPictures(readText(documentPath), readRoomImports()));
