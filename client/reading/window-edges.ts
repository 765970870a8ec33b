/** The part of the window in which somebody reads: between the header and `dock`, which may change their heights. In pixels. */
export function createWindowEdges(dock: HTMLElement) {
  const { documentElement: root } = document;
  const header = document.querySelector<HTMLElement>('.header');
  const heightOfHeader = () => header?.offsetHeight ?? 0;
  let headerHeight = 0;
  let dockHeight = 0;

  return {
    /** Where the latest question goes, from the top of the window. */
    topRoom: () => Number.parseFloat(getComputedStyle(root).scrollPaddingTop),
    foldTop: () => window.innerHeight - dockHeight,
    haveChanged: () => dock.offsetHeight !== dockHeight || heightOfHeader() !== headerHeight,

    /** Tells the styles of both heights: the `latest` turn is as high as the room between them. */
    measure(latest: HTMLElement | undefined): void {
      headerHeight = heightOfHeader();
      dockHeight = dock.offsetHeight;
      root.style.setProperty('--header-height', `${headerHeight}px`);
      root.style.setProperty('--dock-height', `${dockHeight}px`);
      latest?.style.setProperty('--dock-height', `${dockHeight}px`);
    },

    /** Calls `observe` with what makes the edges. */
    observeBy(observe: (element: Element) => void): void {
      observe(dock);
      if (header !== null) observe(header);
    },

    forget(): void {
      root.style.removeProperty('--header-height');
      root.style.removeProperty('--dock-height');
    },
  };
}
