/** Smaller scrolls do not change the header, so that it does not flicker under an unsteady finger. */
const minPixels = 8;

/** In a short window the header scrolls with the page. The style sheet brings it back once the user has scrolled up. */
export function createReturningHeader(root: HTMLElement) {
  let pixelsInDirection = 0;

  function hide(): void {
    pixelsInDirection = 0;
    root.removeAttribute('data-header-returned');
  }

  return {
    hide,

    /** Call it when the user has scrolled down by `pixels`, or up if negative. */
    onScroll(pixels: number): void {
      if (pixels === 0) return;
      const isSameDirection = Math.sign(pixels) === Math.sign(pixelsInDirection);
      pixelsInDirection = isSameDirection ? pixelsInDirection + pixels : pixels;
      if (pixelsInDirection >= minPixels) hide();
      else if (pixelsInDirection <= -minPixels) root.setAttribute('data-header-returned', '');
    },
  };
}
