import { whenIdle } from './when-idle.ts';

export type DeferredRendering = ReturnType<typeof createDeferredRendering>;

/** Content this close to the viewport is rendered immediately, before the reader can scroll to it. */
const nearMargin = '150% 0px';

export function createDeferredRendering() {
  const queue = createRenderQueue<Element>(whenIdle);
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) queue.render(target);
    },
    { rootMargin: nearMargin },
  );

  return {
    renderAll: queue.renderAll,
    stop: queue.stop,

    /** Calls `onRender` when `element` comes near the viewport, or earlier when idle. Returns a cancel function. */
    add(element: Element, characters: number, onRender: () => void): () => void {
      observer.observe(element);
      queue.add(element, characters, onRender);
      return () => {
        observer.unobserve(element);
        queue.remove(element);
      };
    },
  };
}

type WhenIdle = (work: () => void) => () => void;

type PendingRender = { characters: number; onRender: () => void };

/** Short content is rendered in batches, because each rendering lays out the whole conversation again. */
const maxBatchCharacters = 6000;
const maxBatchSize = 16;

/** The caller renders content near the viewport; the rest follows in idle batches, latest first. */
export function createRenderQueue<Key>(whenIdle: WhenIdle) {
  const pending = new Map<Key, PendingRender>();
  let cancel: (() => void) | undefined;

  function render(key: Key): void {
    const found = pending.get(key);
    pending.delete(key);
    found?.onRender();
  }

  function renderBatch(): void {
    let count = 0;
    let characters = 0;
    for (const [key, next] of [...pending].reverse()) {
      count += 1;
      characters += next.characters;
      if (count > 1 && (count > maxBatchSize || characters > maxBatchCharacters)) return;
      render(key);
    }
  }

  function scheduleNext(): void {
    if (pending.size === 0) return;
    cancel ??= whenIdle(() => {
      cancel = undefined;
      renderBatch();
      scheduleNext();
    });
  }

  return {
    render,

    add(key: Key, characters: number, onRender: () => void): void {
      pending.set(key, { characters, onRender });
      scheduleNext();
    },

    remove(key: Key): void {
      pending.delete(key);
    },

    renderAll(): void {
      for (const key of [...pending.keys()]) render(key);
    },

    stop(): void {
      cancel?.();
      cancel = undefined;
    },
  };
}
