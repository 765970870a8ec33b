/** Runs `work` when there is time for it, unless the returned function was called before. */
export type WhenIdle = (work: () => void) => () => void;

type Waiting = { characters: number; drawn: () => void };

/** As much is drawn together: each time, the browser looks at the whole conversation once. */
const charactersAtOnce = 6000;
const mostAtOnce = 16;

/** What is still to be drawn: each by its key. What is near is asked for; of the others a few at a time, the latest first. */
export function createDrawQueue<Key>(whenIdle: WhenIdle) {
  const waiting = new Map<Key, Waiting>();
  let callOff: (() => void) | undefined;

  function draw(key: Key): void {
    const found = waiting.get(key);
    waiting.delete(key);
    found?.drawn();
  }

  function drawSome(): void {
    let count = 0;
    let characters = 0;
    for (const [key, next] of [...waiting].reverse()) {
      count += 1;
      characters += next.characters;
      if (count > 1 && (count > mostAtOnce || characters > charactersAtOnce)) return;
      draw(key);
    }
  }

  function goOn(): void {
    if (waiting.size === 0) return;
    callOff ??= whenIdle(() => {
      callOff = undefined;
      drawSome();
      goOn();
    });
  }

  return {
    draw,

    /** Takes in what is drawn by calling `drawn`, and how long its text is. */
    add(key: Key, characters: number, drawn: () => void): void {
      waiting.set(key, { characters, drawn });
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
