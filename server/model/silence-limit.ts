/**
 * Calls `onSilence` when `milliseconds` pass between `wait`, or the last of several, and `stop`.
 * Only time spent waiting for the provider counts, so a slow reader on our side is never taken for a silent provider.
 */
export function createSilenceLimit(onSilence: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let waiting: number | undefined;

  function stop(): void {
    clearTimeout(timer);
    waiting = undefined;
  }

  return {
    wait(milliseconds: number): void {
      // What every packet does, and cheaper than a timer of its own for each.
      if (milliseconds === waiting) return void timer?.refresh();
      stop();
      timer = setTimeout(onSilence, milliseconds);
      waiting = milliseconds;
    },
    stop,
  };
}
