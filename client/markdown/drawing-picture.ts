/** A picture has this many pixels per CSS pixel, so that it stays sharp in a document. */
const pixelRatio = 2;
const margin = 16;

/**
 * Returns a PNG of `drawing` as it is laid out on the page, but in light colors on white. Paints only text and the
 * background colors of boxes, of which charts consist. The Content-Security-Policy of the page blocks the usual way, an image of an
 * SVG document.
 */
export function createPicture(drawing: HTMLElement): Promise<Blob> {
  const canvas = document.createElement('canvas');
  // Selects the colors of pictures. The browser never shows them, because the attribute is removed within the same task.
  drawing.toggleAttribute('data-picture', true);
  paint(canvas, drawing);
  drawing.toggleAttribute('data-picture', false);
  return new Promise((resolve, reject) => {
    canvas.toBlob((png) => (png ? resolve(png) : reject(new Error('The canvas is too large.'))), 'image/png');
  });
}

function paint(canvas: HTMLCanvasElement, drawing: HTMLElement): void {
  const { left, top, width, height } = drawing.getBoundingClientRect();
  canvas.width = Math.ceil(width + 2 * margin) * pixelRatio;
  canvas.height = Math.ceil(height + 2 * margin) * pixelRatio;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser provides no canvas.');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.scale(pixelRatio, pixelRatio);
  context.translate(margin - left, margin - top);

  const nodes = document.createTreeWalker(drawing, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode()) {
    if (node instanceof Text) paintText(context, node);
    else if (node instanceof HTMLElement) paintBox(context, node);
  }
}

function paintBox(context: CanvasRenderingContext2D, element: HTMLElement): void {
  const { x, y, width, height } = element.getBoundingClientRect();
  context.fillStyle = getComputedStyle(element).backgroundColor;
  context.fillRect(x, y, width, height);
}

function paintText(context: CanvasRenderingContext2D, node: Text): void {
  const { parentElement } = node;
  if (parentElement === null) return;
  const { fontWeight, fontSize, fontFamily, color, direction, visibility, overflow } = getComputedStyle(parentElement);
  if (visibility === 'hidden') return;
  context.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  context.direction = direction === 'rtl' ? 'rtl' : 'ltr';
  context.textAlign = 'left';
  context.fillStyle = color;
  const box = parentElement.getBoundingClientRect();
  const lines = linesOf(node);
  const visible = overflow === 'hidden' ? lines.filter(({ top }) => top < box.bottom - 1) : lines;
  for (const [index, { text, left, right, top }] of visible.entries()) {
    const isCut = index === visible.length - 1 && visible.length < lines.length;
    const painted = isCut ? withEllipsis(context, text, right - left) : text;
    context.fillText(painted, left, top + context.measureText(text).fontBoundingBoxAscent);
  }
}

function withEllipsis(context: CanvasRenderingContext2D, text: string, width: number): string {
  const characters = [...text.trimEnd()];
  while (characters.length > 0 && context.measureText(`${characters.join('')}…`).width > width) characters.pop();
  return `${characters.join('')}…`;
}

type Line = { text: string; left: number; right: number; top: number };

function linesOf(node: Text): Line[] {
  const lines: Line[] = [];
  const range = document.createRange();
  for (let index = 0; index < node.data.length; index += 1) {
    range.setStart(node, index);
    range.setEnd(node, index + 1);
    const box = range.getClientRects()[0];
    if (box === undefined) continue;
    const line = lines.at(-1);
    const isSameLine = line !== undefined && Math.abs(line.top - box.top) < 2;
    if (isSameLine) {
      line.text += node.data[index];
      line.left = Math.min(line.left, box.left);
      line.right = Math.max(line.right, box.right);
    } else {
      lines.push({ text: node.data[index] ?? '', left: box.left, right: box.right, top: box.top });
    }
  }
  return lines;
}
