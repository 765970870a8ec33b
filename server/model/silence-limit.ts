/**
 * Calls `onSilence` when `milliseconds` pass between `wait` and `stop`.
 * Only time spent waiting for the provider counts, so a slow reader on our side is never taken for a silent provider.
 */
export function createSilenceLimit(onSilence: () => void) {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearTimeout(timer);
  return {
    wait(milliseconds: number) {
      stop();
      timer = setTimeout(onSilence, milliseconds);
    },
    stop,
  };
}
