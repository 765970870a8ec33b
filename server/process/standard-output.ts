import process from 'node:process';
import { printableText } from './printable.ts';

/** Thrown when the reader of standard output has closed it, as `head` does after enough lines. */
export class OutputClosedError extends Error {
  override readonly name = 'OutputClosedError';
}

/**
 * Writes text to standard output, with control characters escaped. Resolves when it has been flushed, so that an export does
 * not accumulate in memory.
 * @throws OutputClosedError
 */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // The callback receives the error too, but without a listener the event would end the process.
    if (process.stdout.listenerCount('error') === 0) process.stdout.on('error', () => undefined);
    process.stdout.write(printableText(text), (error) => {
      if (error && 'code' in error && error.code === 'EPIPE')
        reject(new OutputClosedError('The reader has closed standard output.', { cause: error }));
      else if (error) reject(error);
      else resolve();
    });
  });
}
