/** The delay before the first retry. It doubles with each retry. */
const firstDelayMilliseconds = 1000;

/**
 * Requests the style sheet of a lazily loaded chunk again if it could not be loaded, for example while the browser was offline.
 * The chunk itself loads without its styles: Vite would reject its import, and does not request the style sheet again.
 */
export function retryStyleSheets(): void {
  window.addEventListener('vite:preloadError', (event) => {
    // Vite reports failed chunks through the same event, and an import can be rejected with any value.
    if (String(event.payload?.message).startsWith('Unable to preload CSS')) event.preventDefault();
  });
  const delays = new Map<string, number>();
  document.head.addEventListener(
    'error',
    ({ target }) => {
      if (!(target instanceof HTMLLinkElement) || target.rel !== 'stylesheet') return;
      const delay = delays.get(target.href) ?? firstDelayMilliseconds;
      delays.set(target.href, 2 * delay);
      setTimeout(() => target.replaceWith(target.cloneNode()), delay);
    },
    { capture: true },
  );
}
