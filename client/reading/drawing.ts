import { whenIdle } from './when-idle.ts';

export type Drawing = ReturnType<typeof createDrawing>;

/** Content this close to the window is drawn at once, before the reader can scroll to it. */
const nearMargin = '150% 0px';

/** Draws content near the window at once, and the rest while the browser is idle. */
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

    /** Calls `onDraw` when `element` should be drawn. Returns a cancel function. */
    add(element: Element, characters: number, onDraw: () => void): () => void {
      observer.observe(element);
      queue.add(element, characters, onDraw);
      return () => {
        observer.unobserve(element);
        queue.remove(element);
      };
    },
  };
}

/** Schedules idle work. Returns a cancel function. */
type WhenIdle = (work: () => void) => () => void;

type PendingDraw = { characters: number; onDraw: () => void };

/** Batches short content, because each draw lays out the whole conversation again. */
const maxBatchCharacters = 6000;
const maxBatch = 16;

/** The queue of content to draw, by key. Callers draw what is near; the rest follows in idle batches, latest first. */
export function createDrawQueue<Key>(whenIdle: WhenIdle) {
  const pending = new Map<Key, PendingDraw>();
  let cancel: (() => void) | undefined;

  function draw(key: Key): void {
    const found = pending.get(key);
    pending.delete(key);
    found?.onDraw();
  }

  function drawBatch(): void {
    let count = 0;
    let characters = 0;
    for (const [key, next] of [...pending].reverse()) {
      count += 1;
      characters += next.characters;
      if (count > 1 && (count > maxBatch || characters > maxBatchCharacters)) return;
      draw(key);
    }
  }

  function scheduleNext(): void {
    if (pending.size === 0) return;
    cancel ??= whenIdle(() => {
      cancel = undefined;
      drawBatch();
      scheduleNext();
    });
  }

  return {
    draw,

    /** `characters` is the length of the text. */
    add(key: Key, characters: number, onDraw: () => void): void {
      pending.set(key, { characters, onDraw });
      scheduleNext();
    },

    remove(key: Key): void {
      pending.delete(key);
    },

    drawAll(): void {
      for (const key of [...pending.keys()]) draw(key);
    },

    stop(): void {
      cancel?.();
      cancel = undefined;
    },
  };
}
