/** Runs `work` when there is time for it, unless the returned function was called before. */
export type WhenIdle = (work: () => void) => () => void;

export type DrawQueue<Key> = ReturnType<typeof createDrawQueue<Key>>;

/** What is still to be drawn: each by its key. What is near is asked for; of the others one at a time, the latest first. */
export function createDrawQueue<Key>(whenIdle: WhenIdle) {
  const waiting = new Map<Key, () => void>();
  let callOff: (() => void) | undefined;

  function draw(key: Key): void {
    const drawn = waiting.get(key);
    waiting.delete(key);
    drawn?.();
  }

  function goOn(): void {
    if (waiting.size === 0) return;
    callOff ??= whenIdle(() => {
      callOff = undefined;
      const latest = [...waiting.keys()].at(-1);
      if (latest !== undefined) draw(latest);
      goOn();
    });
  }

  return {
    draw,

    /** Takes in what is drawn by calling `drawn`. */
    add(key: Key, drawn: () => void): void {
      waiting.set(key, drawn);
      goOn();
    },

    remove(key: Key): void {
      waiting.delete(key);
    },

    drawAll(): void {
      for (const key of [...waiting.keys()]) draw(key);
    },

    stop(): void {
      callOff?.();
      callOff = undefined;
    },
  };
}
