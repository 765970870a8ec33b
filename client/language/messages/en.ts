import { messages as first } from './en-first.ts';
import { messages as later } from './en-later.ts';

/**
 * The interface's messages in ICU MessageFormat, grouped by the part of the page. The other languages must have the same keys,
 * and callers must pass exactly the values that a message names: both are checked by the compiler.
 *
 * A lazily loaded module that shows messages of `en-later.ts` imports this module, which adds them to those of the first load.
 */
export const messages = Object.assign(first, later);
