import mermaid, { type MermaidConfig } from 'mermaid';
import type { FrameMessage, PageMessage } from './frame-messages.ts';
import { restoreSigns, withPlaceholders } from './labels.ts';
import { makeReadable } from './readable-text.ts';

/**
 * The script of the frame that draws a diagram. The frame has an opaque origin and can load only scripts and styles of this site, so
 * that a flaw in Mermaid exposes neither the page nor the user's data to the text of a reply.
 */
const root = document.documentElement;
const container = document.getElementById('diagram') ?? document.body;
const darkScheme = matchMedia('(prefers-color-scheme: dark)');

const printMedia = matchMedia('print');

/** A narrow frame has no room for a legend beside its pie. Pies never scroll, so their frame is as narrow as the page. */
const narrowFrame = matchMedia('(width < 30rem)');

/** Text is not scaled below this share of its size. A wider diagram scrolls. */
const leastScale = 0.7;

const workingMilliseconds = 1000;

addEventListener('message', ({ source, origin, ports: [port] }) => {
  // `location.origin` is the origin of the URL, although the document itself has an opaque origin (`null`).
  if (source === parent && origin === location.origin && port !== undefined) serve(port);
});

function serve(port: MessagePort): void {
  const reply = (message: FrameMessage) => port.postMessage(message);
  const working = setInterval(() => reply({ type: 'working' }), workingMilliseconds);
  const replyDrawn = () => reply({ type: 'drawn', height: container.offsetHeight, leastWidth: leastWidth() });
  // On paper, the page decides on the height.
  const sizes = new ResizeObserver(() => printMedia.matches || replyDrawn());
  let source = '';

  const redraw = () =>
    draw(source)
      .then(
        () => {
          sizes.observe(container);
          // The observer does not fire while the page hides the frame.
          replyDrawn();
        },
        () => reply({ type: 'failed' }),
      )
      .finally(() => clearInterval(working));

  // Mermaid has one configuration, so one drawing must be finished before the next one starts.
  let latest = Promise.resolve();
  const afterLatest = (work: () => Promise<void>) => {
    latest = latest.then(work);
  };
  port.onmessage = ({ data }: MessageEvent<PageMessage>) => {
    if (data.type === 'picture') {
      afterLatest(async () => reply({ type: 'picture', png: await createPicture(source).catch(() => null) }));
      return;
    }
    ({ source } = data);
    root.dataset.theme = data.theme;
    afterLatest(redraw);
  };
  reply({ type: 'ready' });
  darkScheme.addEventListener('change', () => afterLatest(redraw));
  narrowFrame.addEventListener('change', () => {
    if (isPie(container)) afterLatest(redraw);
  });
}

async function draw(source: string): Promise<void> {
  const svg = await drawInto(container, { source, id: 'drawing', isDark: isDark() });
  // Removes Mermaid's own limit, because diagram.css scales by the natural width.
  svg.style.maxWidth = 'none';
  container.style.setProperty('--natural-width', `${svg.viewBox.baseVal.width}px`);
  root.dataset.drawn = isDark() ? 'dark' : 'light';
}

const isPie = (place: Element) => place.querySelector('.pieCircle') !== null;

function leastWidth(): number {
  if (isPie(container)) return 0;
  const { paddingLeft, paddingRight } = getComputedStyle(container);
  const width = container.querySelector<SVGSVGElement>(':scope > svg')?.viewBox.baseVal.width ?? 0;
  return Math.ceil(leastScale * width + Number.parseFloat(paddingLeft) + Number.parseFloat(paddingRight));
}

const isDark = () => root.dataset.theme === 'dark' || (root.dataset.theme !== 'light' && darkScheme.matches);

/** Draws the diagram again, out of sight and in the colors of a picture, unless it has these colors already. */
async function createPicture(source: string): Promise<Blob | null> {
  const drawn = container.querySelector<SVGSVGElement>(':scope > svg');
  if (drawn !== null && root.dataset.drawn === 'light') return svgPicture(drawn);
  const host = document.createElement('div');
  host.className = 'out-of-sight';
  host.dataset.picture = '';
  document.body.append(host);
  try {
    return await svgPicture(await drawInto(host, { source, id: 'picture', isDark: false }));
  } finally {
    host.remove();
  }
}

type Drawing = { source: string; id: string; isDark: boolean };

async function drawInto(element: HTMLElement, { source, id, isDark }: Drawing): Promise<SVGSVGElement> {
  mermaid.initialize(mermaidConfig(element, isDark));
  element.innerHTML = (await mermaid.render(id, withPlaceholders(source))).svg;
  const svg = element.querySelector<SVGSVGElement>(':scope > svg');
  if (svg === null) throw new Error('Mermaid rendered no SVG.');
  restoreSigns(svg);
  centerLabelsOfStates(svg);
  thinOutTicks(svg);
  if (narrowFrame.matches) moveLegendBelow(svg);
  fitViewBox(svg);
  makeReadable(svg, colorIn(element, 'surface'));
  // A link would navigate the frame, and remove the diagram.
  for (const link of svg.querySelectorAll('a')) {
    for (const name of ['href', 'xlink:href']) link.removeAttribute(name);
  }
  return svg;
}

/** Mermaid left-aligns the lines in a state. They are centered afterwards, because centering by style breaks its layout. */
function centerLabelsOfStates(svg: SVGSVGElement): void {
  for (const label of svg.querySelectorAll<SVGGElement>('.statediagram-state > .basic ~ .label')) {
    const translation = label.transform.baseVal.getItem(0);
    translation.setTranslate(0, translation.matrix.f);
    label.style.textAnchor = 'middle';
  }
}

/** More dates would overlap in a Gantt chart. */
const maxDates = 9;

function thinOutTicks(svg: SVGSVGElement): void {
  for (const axis of svg.querySelectorAll('.grid')) {
    const dates = axis.querySelectorAll(':scope > .tick text');
    const step = Math.ceil(dates.length / maxDates);
    for (const [index, date] of dates.entries()) if (index % step > 0) date.remove();
  }
}

const legendGap = 24;

function moveLegendBelow(svg: SVGSVGElement): void {
  const pie = svg.querySelector<SVGGraphicsElement>('.pieOuterCircle');
  const legends = svg.querySelectorAll<SVGGElement>('.legend');
  const first = legends[0]?.transform.baseVal.consolidate()?.matrix;
  if (pie === null || first === undefined) return;
  const { x, y, height } = pie.getBBox();
  for (const legend of legends) {
    const matrix = legend.transform.baseVal.consolidate()?.matrix;
    legend.setAttribute('transform', `translate(${x}, ${y + height + legendGap + (matrix?.f ?? 0) - first.f})`);
  }
}

/** About half of the widest line: a bounding box does not include strokes. */
const strokeMargin = 2;

/** Gives all kinds of diagrams the same margin, and room for titles and legends that Mermaid would cut. */
function fitViewBox(svg: SVGSVGElement): void {
  const today = svg.querySelector<SVGElement>('.today');
  // The line of today can be years away from the tasks of a Gantt chart.
  if (today !== null) today.style.display = 'none';
  const { x, y, width, height } = svg.getBBox();
  if (today !== null) today.style.display = '';
  const [left, top] = [x - strokeMargin, y - strokeMargin];
  svg.setAttribute('viewBox', `${left} ${top} ${width + 2 * strokeMargin} ${height + 2 * strokeMargin}`);
}

/** Titles have the same font in every kind of diagram; those of journeys and timelines have no class. */
const drawingStyles = `
  [class*="itleText"], text[font-size="4ex"] {
    font-family: inherit;
    font-size: 16px;
    font-weight: 600;
  }

  text:is(:empty, :has(> tspan:only-child:empty)) {
    display: none;
  }

  .node rect, .cluster rect, .actor {
    rx: 6px;
    ry: 6px;
  }
`;

function mermaidConfig(place: HTMLElement, isDark: boolean): MermaidConfig {
  const colorOf = (token: string) => colorIn(place, token);
  const [background, ink, line] = [colorOf('surface'), colorOf('ink'), colorOf('line-strong')];
  const [sunken, onSeries] = [colorOf('surface-sunken'), colorOf('on-accent')];
  const series = Array.from({ length: 12 }, (_, index) => colorOf(`series-${index % 5}`));
  const inSeries = (name: string, first: number, color = (index: number) => series[index]) =>
    Object.fromEntries(series.map((_, index) => [name + (index + first), color(index)]));
  return {
    startOnLoad: false,
    suppressErrorRendering: true,
    securityLevel: 'strict',
    // The default, ELK, adds 1.5 MB.
    layout: 'dagre',
    // In some browsers, an SVG that contains HTML taints the canvas of the picture.
    htmlLabels: false,
    // Directives in the source of a diagram cannot change these.
    secure: ['secure', 'securityLevel', 'maxTextSize', 'suppressErrorRendering', 'maxEdges', 'htmlLabels'],
    fontFamily: getComputedStyle(document.body).fontFamily,
    theme: 'base',
    themeCSS: `${drawingStyles}
      .edgeLabel .label rect { fill: ${background}; opacity: 1; }
      .lineWrapper line { stroke: ${ink}; }`,
    // The default width breaks long German words.
    flowchart: { wrappingWidth: 200 },
    state: { wrappingWidth: 200 },
    // By default a Gantt chart is as narrow as the frame. On a phone its dates would overlap.
    gantt: { useWidth: 720 },
    themeVariables: {
      darkMode: isDark,
      background,
      primaryColor: colorOf('accent-wash'),
      primaryTextColor: ink,
      primaryBorderColor: line,
      // By default, boxes have a shadow and a border with a gradient.
      dropShadow: 'none',
      useGradient: false,
      strokeWidth: 1,
      pieTitleTextSize: '16px',
      secondaryColor: sunken,
      tertiaryColor: sunken,
      lineColor: line,
      edgeLabelBackground: background,
      noteBkgColor: sunken,
      noteTextColor: ink,
      fontSize: getComputedStyle(document.body).fontSize,
      ...inSeries('pie', 1),
      pieOpacity: '1',
      pieSectionTextColor: onSeries,
      pieStrokeColor: background,
      pieOuterStrokeColor: background,
      // Mind maps and timelines.
      ...inSeries('cScale', 0),
      ...inSeries('cScaleLabel', 0, () => onSeries),
      // Mermaid splits the list at commas, which CSS also allows between the components of a color.
      xyChart: {
        plotColorPalette: series
          .slice(0, 5)
          .map((color) => color.replaceAll(',', ''))
          .join(),
      },
    },
  };
}

/** Resolves a color token, because Mermaid calculates with colors and cannot read custom properties. */
function colorIn(place: HTMLElement, token: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(--${token})`;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** A picture has this many pixels per CSS pixel, so that it stays sharp in a document. */
const pixelRatio = 2;
/** Some browsers refuse larger canvases. */
const maxSide = 8192;

/** Creates a PNG of `svg` on white. Resolves with null or rejects if the browser cannot. */
async function svgPicture(svg: SVGSVGElement): Promise<Blob | null> {
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
