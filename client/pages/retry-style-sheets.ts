/** The delay before the first retry. It doubles with each retry. */
const firstDelayMilliseconds = 1000;

/**
 * Requests the style sheet of a lazily loaded chunk again if it could not be loaded, for example while the browser was offline.
 * Vite requests it only once: a later import of the chunk would succeed without its styles.
 */
export function retryStyleSheets(): void {
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
