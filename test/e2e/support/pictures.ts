import type { Page } from 'playwright-core';

/**
 * Returns the size of the PNG `picture` in pixels, the color of its first pixel, and every color in it, as `red,green,blue,alpha`.
 */
export function sizeAndColors(page: Page, picture: Buffer) {
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const { width, height, data } = await pixelsOf(new Blob([bytes], { type: 'image/png' }));
    const colors = new Set<string>();
    for (let index = 0; index < data.length; index += 4) colors.add(data.slice(index, index + 4).join());
    return { width, height, corner: Array.from(data.slice(0, 4)), colors: [...colors] };

    async function pixelsOf(blob: Blob): Promise<ImageData> {
      const bitmap = await createImageBitmap(blob);
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
      if (context === null) throw new Error('The browser provides no canvas.');
      context.drawImage(bitmap, 0, 0);
      return context.getImageData(0, 0, bitmap.width, bitmap.height);
    }
  }, picture.toString('base64'));
}
