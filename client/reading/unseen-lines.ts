/** Where the reply stands in the window, and how wide it is. In pixels. */
type Edges = { top: number; bottom: number; width: number };

type View = {
  /** Where the window ends for the reader, and how high a line is, in pixels. */
  foldTop: number;
  lineHeight: number;
  /** Whether the reply is being written. Only then does it become longer by what is new. */
  isWriting: boolean;
};

/** Counts the lines of the newest reply that have not been in view yet. What was there before counts as seen. */
export function createUnseenLines() {
  let seen = Number.POSITIVE_INFINITY;
  let last: { height: number; width: number; isWriting: boolean } | undefined;
  let isOwn = false;

  return {
    /** From here on there is a reply of which nothing has been seen. */
    begin(): void {
      seen = 0;
      last = undefined;
    },

    /** The person has pressed something in the conversation: what becomes higher by that, such as a table by its chart, is not new. */
    pressed(): void {
      isOwn = true;
    },

    /** How many whole lines are below what has been seen so far. From ten on in tens: a number that runs is not read. */
    count({ top, bottom, width }: Edges, { foldTop, lineHeight, isWriting }: View): number {
      const height = bottom - top;
      if (last !== undefined && last.height !== height) {
        // The last of what was written comes with the end.
        const isNew = (isWriting || last.isWriting) && last.width === width && !isOwn;
        // The same text in another height: as much of it has been seen as before.
        if (!isNew && last.height > 0) seen *= height / last.height;
        isOwn = false;
      }
      last = { height, width, isWriting };
      seen = Math.max(seen, Math.min(foldTop, bottom) - top);
      const lines = Math.max(0, Math.floor((height - seen) / lineHeight));
      return lines < 10 ? lines : lines - (lines % 10);
    },
  };
}
