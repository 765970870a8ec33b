import type { Page } from 'playwright-core';
import { savedBy } from './downloads.ts';

type Area = { left: number; top: number; right: number; bottom: number };

/**
 * Saves the image of the only chart or diagram on `page`, and returns the name of its file, its size in pixels, the color of its first
 * pixel, and every color in it or in `area`, as `red,green,blue,alpha`. The area is in CSS pixels from the corner of what the image
 * shows, which has a margin.
 */
export async function savedPicture(page: Page, area?: Area) {
  const { name, content } = await savedBy(page, page.getByRole('button', { name: 'Save image' }));
  const picture = await page.evaluate(
    async ({ base64, area }) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const { width, height } = bitmap;
      const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
      if (context === null) throw new Error('The browser provides no canvas.');
      context.drawImage(bitmap, 0, 0);
      const corner = Array.from(context.getImageData(0, 0, 1, 1).data);
      const pixels = (length: number) => Math.round(2 * length);
      const { data } = area
        ? context.getImageData(
            pixels(16 + area.left),
            pixels(16 + area.top),
            pixels(area.right - area.left),
            pixels(area.bottom - area.top),
          )
        : context.getImageData(0, 0, width, height);
      const colors = new Set<string>();
      for (let index = 0; index < data.length; index += 4) colors.add(data.slice(index, index + 4).join());
      return { width, height, corner, colors: [...colors] };
    },
    { base64: content.toString('base64'), area },
  );
  return { name, ...picture };
}

/** Copies the image of the only chart or diagram on `page`, and returns the types of what the clipboard then has. */
export async function copiedPictureTypes(page: Page): Promise<string[]> {
  await page.getByRole('button', { name: 'Copy image' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  return page.evaluate(async () => (await navigator.clipboard.read()).flatMap(({ types }) => [...types]));
}
