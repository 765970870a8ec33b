/** Where the reply stands in the window, and where the window ends for the reader. In pixels, as is a line's height. */
type Edges = { top: number; bottom: number };
type View = { foldTop: number; lineHeight: number };

/** Counts the lines of the newest reply that have not been in view yet. What was there before counts as seen. */
export function createUnseenLines() {
  let seen = Number.POSITIVE_INFINITY;

  return {
    /** From here on there is a reply of which nothing has been seen. */
    begin(): void {
      seen = 0;
    },

    /** How many whole lines are below what has been seen so far. From ten on in tens: a number that runs is not read. */
    count({ top, bottom }: Edges, { foldTop, lineHeight }: View): number {
      seen = Math.max(seen, Math.min(foldTop, bottom) - top);
      const lines = Math.max(0, Math.floor((bottom - top - seen) / lineHeight));
      return lines < 10 ? lines : lines - (lines % 10);
    },
  };
}
