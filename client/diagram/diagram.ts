import mermaid, { type MermaidConfig } from 'mermaid';
import type { DiagramReply, DiagramRequest } from './messages.ts';

/**
 * The script of the frame in which a diagram is drawn. The frame has an opaque origin and a policy without network access: what
 * Mermaid makes of a reply's text reaches neither the page nor the user's data.
 */
const root = document.documentElement;
const container = document.getElementById('diagram') ?? document.body;
const darkScheme = matchMedia('(prefers-color-scheme: dark)');

addEventListener('message', ({ source, origin, ports: [port] }) => {
  // `location.origin` is that of the address; the opaque origin of this document is `null`.
  if (source === parent && origin === location.origin && port !== undefined) serve(port);
});

function serve(port: MessagePort): void {
  const reply = (message: DiagramReply) => port.postMessage(message);
  const replyDrawn = () => reply({ type: 'drawn', height: container.offsetHeight });
  const sizes = new ResizeObserver(replyDrawn);
  let source = '';

  const redraw = () =>
    draw(source, () => reply({ type: 'parsed' })).then(
      () => {
        sizes.observe(container);
        // The observer is silent while the page hides the frame.
        replyDrawn();
      },
      () => reply({ type: 'failed' }),
    );

  port.onmessage = async ({ data }: MessageEvent<DiagramRequest>) => {
    if (data.type === 'picture') return reply({ type: 'picture', png: await picture().catch(() => null) });
    source = data.source;
    root.dataset.theme = data.theme;
    root.dataset.textSize = data.textSize;
    await redraw();
  };
  darkScheme.addEventListener('change', redraw);
}

async function draw(source: string, onParsed: () => void): Promise<void> {
  mermaid.initialize(configuration());
  await mermaid.parse(source);
  onParsed();
  const { svg } = await mermaid.render('drawing', source);
  container.innerHTML = svg;
  const element = drawing();
  if (element === null) throw new Error('Mermaid has drawn nothing.');
  // Mermaid's own limit; diagram.css scales by the natural width.
  element.style.maxWidth = 'none';
  container.style.setProperty('--natural-width', `${element.viewBox.baseVal.width}px`);
  root.dataset.drawn = isDark() ? 'dark' : 'light';
}

const drawing = () => container.querySelector<SVGSVGElement>(':scope > svg');

const isDark = () => root.dataset.theme === 'dark' || (root.dataset.theme !== 'light' && darkScheme.matches);

function configuration(): MermaidConfig {
  const [background, sunken, wash, ink, line, onSeries] = [
    'surface',
    'surface-sunken',
    'accent-wash',
    'ink',
    'line-strong',
    'on-accent',
  ].map((token) => colorOf(token));
  const series = Array.from({ length: 12 }, (_, index) => colorOf('series', `chart-series-${index % 5}`));
  const inSeries = (name: string, first: number, color = (index: number) => series[index]) =>
    Object.fromEntries(series.map((_, index) => [name + (index + first), color(index)]));
  return {
    startOnLoad: false,
    suppressErrorRendering: true,
    securityLevel: 'strict',
    look: 'classic',
    // Mermaid's own default needs 1.5 MB more.
    layout: 'dagre',
    // A drawing with HTML in it cannot become a picture.
    htmlLabels: false,
    // A directive in the text of a diagram cannot change these.
    secure: [
      'secure',
      'securityLevel',
      'startOnLoad',
      'maxTextSize',
      'suppressErrorRendering',
      'maxEdges',
      'htmlLabels',
    ],
    fontFamily: getComputedStyle(document.body).fontFamily,
    theme: 'base',
    // By default a Gantt chart is as narrow as a phone, and its dates overlap.
    gantt: { useWidth: 720 },
    themeVariables: {
      darkMode: isDark(),
      background,
      primaryColor: wash,
      primaryTextColor: ink,
      primaryBorderColor: line,
      secondaryColor: sunken,
      tertiaryColor: sunken,
      lineColor: line,
      textColor: ink,
      titleColor: ink,
      noteBkgColor: sunken,
      noteBorderColor: line,
      noteTextColor: ink,
      fontSize: getComputedStyle(document.body).fontSize,
      ...inSeries('pie', 1),
      pieOpacity: '1',
      pieSectionTextColor: onSeries,
      pieStrokeColor: background,
      pieOuterStrokeColor: background,
      // Mind maps, timelines and the like.
      ...inSeries('cScale', 0),
      ...inSeries('cScaleLabel', 0, () => onSeries),
      ...inSeries('git', 0),
      ...inSeries('gitBranchLabel', 0, () => onSeries),
      xyChart: { plotColorPalette: series.slice(0, 5).join() },
    },
  };
}

/** The value of a color token. Mermaid computes with colors, and cannot read custom properties. */
function colorOf(token: string, className = ''): string {
  const probe = document.createElement('i');
  probe.className = className;
  probe.style.color = `var(--${token})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const pixelRatio = 2;
/** Browsers refuse larger canvases. */
const maxSide = 8192;

async function picture(): Promise<Blob | null> {
  const svg = drawing()?.cloneNode(true);
  if (!(svg instanceof SVGSVGElement)) return null;
  const { width, height } = svg.viewBox.baseVal;
  const scale = Math.min(pixelRatio, maxSide / Math.max(width, height));
  svg.setAttribute('width', `${width * scale}`);
  svg.setAttribute('height', `${height * scale}`);
  svg.style.maxWidth = 'none';
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await image.decode();
  const margin = 16 * scale;
  const canvas = document.createElement('canvas');
  canvas.width = image.width + 2 * margin;
  canvas.height = image.height + 2 * margin;
  const context = canvas.getContext('2d');
  if (context === null) return null;
  context.fillStyle = colorOf('surface');
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, margin, margin);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}
