import type { Page } from 'playwright-core';

const frameMilliseconds = 1000 / 60;

/** From now on, notes the frames that `page` draws and the tasks that hold it up for over 50 ms; call the result for the figures. */
export async function watchFrames(page: Page) {
  const notes = await page.evaluateHandle(() => {
    const tasks: number[] = [];
    const gaps: number[] = [];
    let last = performance.now();
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration);
    });
    observer.observe({ type: 'longtask' });
    const note = (now: number) => {
      gaps.push(now - last);
      last = now;
      requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
    return { tasks, gaps };
  });

  return async () => {
    const { tasks, gaps } = await notes.jsonValue();
    const dropped = gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / frameMilliseconds) - 1), 0);
    const sorted = gaps.toSorted((one, other) => one - other);
    const quantile = (part: number) => `${(sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(1)} ms`;
    return {
      'tasks over 50 ms': tasks.length,
      'longest task': tasks.length === 0 ? 'under 50 ms' : `${Math.max(...tasks).toFixed(0)} ms`,
      'frames drawn': gaps.length,
      'frames dropped of those due at 60 Hz': dropped,
      'between frames, median': quantile(0.5),
      'between frames, 95 of 100 under': quantile(0.95),
      'between frames, longest': quantile(1),
    };
  };
}
