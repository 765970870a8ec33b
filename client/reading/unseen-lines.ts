/** The reply's box in the window, in pixels. */
type Edges = { top: number; bottom: number; width: number };

type View = {
  /** The lower edge of the readable area, and the line height, in pixels. */
  foldTop: number;
  lineHeight: number;
  /** Whether the reply is being written. The growth of a complete reply does not count as new. */
  isWriting: boolean;
};

/**
 * Counts the lines of the newest reply that have not been in view, and of earlier replies as long as nothing of the newest one has
 * been. Lines that exist at the first count are considered seen.
 */
export function createUnseenLineCounter() {
  let visibleHeight = Number.POSITIVE_INFINITY;
  let last: { height: number; width: number; isWriting: boolean } | undefined;
  let wasPressed = false;
  let earlierLines = 0;
  let lines = 0;

  return {
    /** Starts with a reply of which nothing has been seen. The unseen lines of the reply before it count as well. */
    reset(): void {
      earlierLines = lines;
      visibleHeight = 0;
      last = undefined;
    },

    /** Call it when the user has reached the newest question: everything above it counts as seen. */
    earlierSeen(): void {
      earlierLines = 0;
      lines = 0;
    },

    /** Returns the count while the newest reply has no text. */
    countEarlier: () => rounded(earlierLines),

    /**
     * Call it when the user activates a control in the conversation. Growth that results, such as a chart below its table, is not
     * new.
     */
    userPressed(): void {
      wasPressed = true;
    },

    /** Returns the number of unseen lines; from ten on in tens, because a number that changes constantly is unreadable. */
    count({ top, bottom, width }: Edges, { foldTop, lineHeight, isWriting }: View): number {
      const height = bottom - top;
      if (last !== undefined && last.height !== height) {
        // The last text arrives together with the end of the reply.
        const isNew = (isWriting || last.isWriting) && last.width === width && !wasPressed;
        // A reflow changes the height but not the text: the same share has been seen.
        if (!isNew && last.height > 0) visibleHeight *= height / last.height;
        wasPressed = false;
      }
      last = { height, width, isWriting };
      visibleHeight = Math.max(visibleHeight, Math.min(foldTop, bottom) - top);
      if (visibleHeight > 0) earlierLines = 0;
      lines = earlierLines + Math.max(0, Math.floor((height - visibleHeight) / lineHeight));
      return rounded(lines);
    },
  };
}

function rounded(lines: number): number {
  return lines < 10 ? lines : lines - (lines % 10);
}
