import { createDrawQueue } from './draw-queue.ts';
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
