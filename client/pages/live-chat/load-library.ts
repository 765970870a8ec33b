import type { Library } from '../../library/library.ts';

/** Loads the chunk of the library on demand, for pages that need it only at a sign-out. */
export async function loadLibrary(userId: string): Promise<Library> {
  const { openLibrary } = await import('./live-conversations.ts');
  return openLibrary(userId);
}
