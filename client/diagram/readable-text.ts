import { black, blend, type Color, contrast, parseColor, white } from './color-contrast.ts';

/** The minima of the Web Content Accessibility Guidelines, level AA, for text and for graphics. */
const minTextContrast = 4.5;
const minLineContrast = 3;

type Shape = { element: SVGGeometryElement; box: DOMRect; fill: Color };

/**
 * Makes text black or white if its color can hardly be read on what is painted below it: a source often sets only the fill of a
 * shape, or only the color of its text. A pair of colors that the source sets is kept. Messages of sequence diagrams, which cross
 * areas in colors of the source, get readable lines in the same way.
 */
export function makeReadable(drawing: SVGSVGElement, background: string): void {
  const surface = parseColor(background);
  if (surface === null) return;
  const shapes = filledShapes(drawing);
  const shapesAt = (x: number, y: number, above: Element) =>
    shapes.filter(({ element, box }) => isInBox(box, x, y) && isBefore(element, above) && isInFill(element, x, y));
  const paintOf = (below: readonly Shape[]) => below.reduce((paint, { fill }) => blend(fill, paint), surface);

  for (const text of drawing.querySelectorAll('text, foreignObject')) {
    const { left, right, top, bottom } = text.getBoundingClientRect();
    const places = [0.5, 0.05, 0.95].map((share) => shapesAt(mix(left, right, share), (top + bottom) / 2, text));
    const paints = places.map(paintOf);
    const isFillSet = isSetBySource(places[0]?.at(-1)?.element, 'fill');
    for (const part of coloredParts(text)) {
      const property = part instanceof SVGElement ? 'fill' : 'color';
      const color = parseColor(getComputedStyle(part)[property]);
      if (color === null || leastContrast(color, paints) >= minTextContrast) continue;
      if (isFillSet && !isTreemap(part) && isSetBySource(part, property, 'color')) continue;
      const readable = moreReadable(paints);
      part.style.setProperty(property, hex(readable), 'important');
      // Text that crosses a light and a dark area is outlined.
      if (leastContrast(readable, paints) < minLineContrast) {
        const outline = hex(readable === black ? white : black);
        part.style.cssText += `; paint-order: stroke; stroke: ${outline}; stroke-width: 3px; stroke-linejoin: round`;
      }
    }
  }

  for (const line of drawing.querySelectorAll<SVGElement>('line[class^="messageLine"]')) {
    const { left, right, top, bottom } = line.getBoundingClientRect();
    const paints = [paintOf(shapesAt((left + right) / 2, (top + bottom) / 2, line))];
    const color = parseColor(getComputedStyle(line).stroke);
    if (color === null || leastContrast(color, paints) >= minLineContrast) continue;
    const readable = hex(moreReadable(paints));
    line.style.setProperty('stroke', readable, 'important');
    recolorMarkers(drawing, line, readable);
  }
}

/** Markers are shared by all lines, so the line gets markers of its own. */
function recolorMarkers(drawing: SVGSVGElement, line: SVGElement, color: string): void {
  for (const name of ['marker-start', 'marker-end']) {
    const [, id] = /url\("?#([^")]+)"?\)/.exec(line.getAttribute(name) ?? '') ?? [];
    const marker = id === undefined ? null : drawing.querySelector(`marker[id="${CSS.escape(id)}"]`);
    if (marker === null) continue;
    const ownId = `${id}-${color.slice(1)}`;
    line.setAttribute(name, `url(#${ownId})`);
    if (drawing.querySelector(`marker[id="${CSS.escape(ownId)}"]`) !== null) continue;
    const own = marker.cloneNode(true) as SVGElement;
    own.id = ownId;
    for (const shape of own.querySelectorAll<SVGElement>('path, polygon, circle, line')) {
      shape.style.setProperty('stroke', color, 'important');
      if (getComputedStyle(marker.querySelector(shape.tagName) ?? marker).fill !== 'none')
        shape.style.setProperty('fill', color, 'important');
    }
    marker.after(own);
  }
}

function filledShapes(drawing: SVGSVGElement): Shape[] {
  const selector = ':is(rect, path, polygon, circle, ellipse):not(defs *, marker *, clipPath *, mask *, symbol *)';
  return Array.from(drawing.querySelectorAll<SVGGeometryElement>(selector)).flatMap((element) => {
    const { fill, fillOpacity, opacity, visibility } = getComputedStyle(element);
    const color = parseColor(fill);
    const alpha = (color?.alpha ?? 0) * Number(fillOpacity) * Number(opacity);
    if (color === null || alpha === 0 || visibility === 'hidden') return [];
    return [{ element, box: element.getBoundingClientRect(), fill: { ...color, alpha } }];
  });
}

/** The elements whose color is shown: each part of the text with text of its own. */
function coloredParts(text: Element): (SVGElement | HTMLElement)[] {
  const parts = [text, ...text.querySelectorAll('*')] as (SVGElement | HTMLElement)[];
  const hasText = (part: Element) =>
    Array.from(part.childNodes, (node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim()).some(Boolean);
  return parts.filter(hasText);
}

/** Mermaid writes the colors of a source into the `style` attribute of an element or of a group around it. */
function isSetBySource(element: Element | undefined, ...properties: string[]): boolean {
  for (
    let part = element;
    part !== undefined && !(part instanceof SVGSVGElement);
    part = part.parentElement ?? undefined
  ) {
    const { style } = part as SVGElement;
    if (properties.some((property) => style.getPropertyValue(property) !== '')) return true;
    if (part.classList.contains('node')) return false;
  }
  return false;
}

/** Mermaid writes the colors of all labels of a treemap into their `style` attribute. */
const isTreemap = (part: Element) => part.closest('[class^="treemap"]') !== null;

const leastContrast = (color: Color, paints: readonly Color[]) =>
  Math.min(...paints.map((paint) => contrast(blend(color, paint), paint)));

const moreReadable = (paints: readonly Color[]) =>
  leastContrast(black, paints) >= leastContrast(white, paints) ? black : white;

const hex = (color: Color) => (color === black ? '#000000' : '#ffffff');

const mix = (from: number, to: number, share: number) => from + (to - from) * share;

const isInBox = ({ left, right, top, bottom }: DOMRect, x: number, y: number) =>
  x >= left && x <= right && y >= top && y <= bottom;

const isBefore = (element: Element, other: Element) =>
  (element.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;

function isInFill(element: SVGGeometryElement, x: number, y: number): boolean {
  const matrix = element.getScreenCTM();
  return matrix !== null && element.isPointInFill(new DOMPoint(x, y).matrixTransform(matrix.inverse()));
}
