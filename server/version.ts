import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The version in package.json, such as `1.0.0`. */
export const version = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))).version;
