/** Tracks the readable area of the window in pixels: between the header and `dock`, which can change their heights. */
export function createWindowEdges(dock: HTMLElement) {
  const { documentElement: root } = document;
  const header = document.querySelector<HTMLElement>('.header');
  // The height is measured in fractions of a pixel, because sticky elements are placed by this height.
  const heightOfHeader = () => header?.getBoundingClientRect().height ?? 0;
  let headerHeight = 0;
  let dockHeight = 0;

  return {
    scrollPaddingTop: () => Number.parseFloat(getComputedStyle(root).getPropertyValue('--header-room')),
    foldTop: () => window.innerHeight - dockHeight,
    haveChanged: () => dock.offsetHeight !== dockHeight || heightOfHeader() !== headerHeight,

    /** Passes the heights to the styles: the `latest` turn fills the space between header and dock. */
    measure(latest: HTMLElement | undefined): void {
      headerHeight = heightOfHeader();
      dockHeight = dock.offsetHeight;
      root.style.setProperty('--header-height', `${headerHeight}px`);
      root.style.setProperty('--dock-height', `${dockHeight}px`);
      latest?.style.setProperty('--dock-height', `${dockHeight}px`);
    },

    observeBy(observe: (element: Element) => void): void {
      observe(dock);
      if (header !== null) observe(header);
    },

    clear(): void {
      root.style.removeProperty('--header-height');
      root.style.removeProperty('--dock-height');
    },
  };
}
