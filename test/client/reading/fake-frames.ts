/** Returns fakes of the functions that request frames. `next` runs the callbacks of the next frame. */
export function createFakeFrames() {
  const frames = new Map<number, () => void>();
  let count = 0;
  return {
    requestAnimationFrame(callback: () => void) {
      frames.set(++count, callback);
      return count;
    },
    cancelAnimationFrame: (id: number) => frames.delete(id),
    next(): void {
      const callbacks = [...frames.values()];
      frames.clear();
      for (const callback of callbacks) callback();
    },
  };
}
