import { pages } from '../../shared/interface.ts';

/** It goes into a cookie, beside what else an attempt to sign in needs. */
const longestBytes = 1_000;

/**
 * The path to return to after sign-in, as it was asked for, if a browser would find it on this site; otherwise the chat.
 * `//host` and `/\host` lead away although they begin with a slash, and browsers drop control characters before they look.
 */
export function returnPath(asked: unknown, publicUrl: string): string {
  if (typeof asked !== 'string' || !/^\/(?![/\\])\P{Cc}*$/u.test(asked)) return pages.chat;
  if (Buffer.byteLength(asked) > longestBytes) return pages.chat;
  return URL.parse(asked, publicUrl)?.origin === new URL(publicUrl).origin ? asked : pages.chat;
}
