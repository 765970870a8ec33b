import { type ErrorCode, splitAppendedError } from '../../shared/errors.ts';
import { presentableText } from './presentable-text.ts';
import { readText } from './read-text.ts';

/** A reply that was read to its end. `code`: it failed after its first text, when the status could no longer say so. */
export type Reply = { text: string; code: ErrorCode | undefined };

/**
 * Reads the body of a response with status 200, and calls `onText` with the whole reply so far each time there is more of it
 * to show. `onText` and the result leave out the error line, which is no text of the reply. Rejects with the error of `body`
 * when the connection is cut or the request aborted.
 */
export async function readReply(
  body: ReadableStream<Uint8Array> | null,
  onText?: (reply: string) => void,
): Promise<Reply> {
  // Only what is held back is looked at again: a long reply takes no longer to go on than a short one.
  let shown = '';
  let held = '';
  const show = (text: string) => {
    shown += text;
    if (text !== '') onText?.(shown);
  };
  if (body !== null) {
    for await (const text of readText(body)) {
      held += text;
      const presentable = presentableText(held);
      held = held.slice(presentable.length);
      show(presentable);
    }
  }
  const { text, code } = splitAppendedError(held);
  show(text);
  return { text: shown, code };
}
