import { whenIdle } from './when-idle.ts';

export type Drawing = ReturnType<typeof createDrawing>;

/** What is this near to the window is drawn before the reader can get there. */
const nearMargin = '150% 0px';

/** Draws what comes near to the window at once, and the rest while the browser is idle. */
export function createDrawing() {
  const queue = createDrawQueue<Element>(whenIdle);
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) queue.draw(target);
    },
    { rootMargin: nearMargin },
  );

  return {
    drawAll: queue.drawAll,
    stop: queue.stop,

    /** Calls `drawn` when it is time to draw `element`, unless the returned function was called before. */
    add(element: Element, characters: number, drawn: () => void): () => void {
      observer.observe(element);
      queue.add(element, characters, drawn);
      return () => {
        observer.unobserve(element);
        queue.remove(element);
      };
    },
  };
}

/** Runs `work` when there is time for it, unless the returned function was called before. */
type WhenIdle = (work: () => void) => () => void;

type Waiting = { characters: number; drawn: () => void };

/** As much is drawn together: each time, the browser looks at the whole conversation once. */
const charactersAtOnce = 6000;
const maxAtOnce = 16;

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
      if (count > 1 && (count > maxAtOnce || characters > charactersAtOnce)) return;
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
