import process from 'node:process';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { printableText } from './printable.ts';

/**
 * Reads the options of a program without operands. An unknown option, an option without its value or an operand ends the process
 * with 2, before the program has had any effect.
 */
export function readOptions<const Options extends ParseArgsOptionsConfig>(options: Options) {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${printableText(error instanceof Error ? error.message : String(error))}\n`);
    process.exit(2);
  }
}
