import type { Hole } from './hole.ts';
import { fuzz } from './holes/fuzz.ts';

/** Holes of one subject, as a table of `docs/holes.md`. */
export type HoleChapter = { title: string; holes: readonly Hole[] };

export const holeChapters: readonly HoleChapter[] = [{ title: 'Hostile requests', holes: fuzz }];

export const holes: readonly Hole[] = holeChapters.flatMap((chapter) => chapter.holes);
