/** A picture has this many pixels per CSS pixel, so that it stays sharp in a document. */
const pixelRatio = 2;
/** Some browsers refuse larger canvases. */
const maxSide = 8192;

/** Creates a PNG of `svg` on white. Resolves with null or rejects if the browser cannot. */
export async function svgPicture(svg: SVGSVGElement): Promise<Blob | null> {
  const { width, height } = svg.viewBox.baseVal;
  const scale = Math.min(pixelRatio, maxSide / Math.max(width, height));
  const copy = svg.cloneNode(true) as SVGSVGElement;
  copy.setAttribute('width', `${width * scale}`);
  copy.setAttribute('height', `${height * scale}`);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  const margin = 16 * scale;
  const canvas = document.createElement('canvas');
  canvas.width = image.width + 2 * margin;
  canvas.height = image.height + 2 * margin;
  const context = canvas.getContext('2d');
  if (context === null) return null;
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, margin, margin);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}
