import mermaid, { type MermaidConfig } from 'mermaid';
import { restoreSigns, withPlaceholders } from './labels.ts';
import type { DiagramReply, DiagramRequest } from './messages.ts';
import { svgPicture } from './svg-picture.ts';

/**
 * The script of the frame that draws a diagram. The frame has an opaque origin and no network access, so that a flaw in Mermaid
 * exposes neither the page nor the user's data to the text of a reply.
 */
const root = document.documentElement;
const container = document.getElementById('diagram') ?? document.body;
const darkScheme = matchMedia('(prefers-color-scheme: dark)');

addEventListener('message', ({ source, origin, ports: [port] }) => {
  // `location.origin` is the origin of the URL, although the document itself has an opaque origin (`null`).
  if (source === parent && origin === location.origin && port !== undefined) serve(port);
});

function serve(port: MessagePort): void {
  const reply = (message: DiagramReply) => port.postMessage(message);
  const replyDrawn = () => reply({ type: 'drawn', height: container.offsetHeight });
  const sizes = new ResizeObserver(replyDrawn);
  let source = '';

  const redraw = () =>
    draw(source).then(
      () => {
        sizes.observe(container);
        // The observer does not fire while the page hides the frame.
        replyDrawn();
      },
      () => reply({ type: 'failed' }),
    );

  port.onmessage = async ({ data }: MessageEvent<DiagramRequest>) => {
    if (data.type === 'picture') return reply({ type: 'picture', png: await picture() });
    source = data.source;
    root.dataset.theme = data.theme;
    await redraw();
  };
  darkScheme.addEventListener('change', redraw);
}

function picture(): Promise<Blob | null> {
  const svg = drawing();
  return svg ? svgPicture(svg, colorOf('surface')).catch(() => null) : Promise.resolve(null);
}

async function draw(source: string): Promise<void> {
  mermaid.initialize(configuration());
  const { svg } = await mermaid.render('drawing', withPlaceholders(source));
  container.innerHTML = svg;
  const element = drawing();
  if (element === null) throw new Error('Mermaid rendered no SVG.');
  restoreSigns(element);
  // A link would navigate the frame, and remove the diagram.
  for (const link of element.querySelectorAll('a')) {
    for (const name of ['href', 'xlink:href']) link.removeAttribute(name);
  }
  // Mermaid's own limit; diagram.css scales by the natural width.
  element.style.maxWidth = 'none';
  container.style.setProperty('--natural-width', `${element.viewBox.baseVal.width}px`);
  root.dataset.drawn = isDark() ? 'dark' : 'light';
}

const drawing = () => container.querySelector<SVGSVGElement>(':scope > svg');

const isDark = () => root.dataset.theme === 'dark' || (root.dataset.theme !== 'light' && darkScheme.matches);

function configuration(): MermaidConfig {
  const [background, ink, line] = [colorOf('surface'), colorOf('ink'), colorOf('line-strong')];
  const [sunken, onSeries] = [colorOf('surface-sunken'), colorOf('on-accent')];
  const series = Array.from({ length: 12 }, (_, index) => colorOf('series', `chart-series-${index % 5}`));
  const inSeries = (name: string, first: number, color = (index: number) => series[index]) =>
    Object.fromEntries(series.map((_, index) => [name + (index + first), color(index)]));
  return {
    startOnLoad: false,
    suppressErrorRendering: true,
    securityLevel: 'strict',
    // The default, ELK, adds 1.5 MB.
    layout: 'dagre',
    // A browser cannot paint an SVG with HTML onto a canvas.
    htmlLabels: false,
    // Directives in the source of a diagram cannot change these.
    secure: ['secure', 'securityLevel', 'maxTextSize', 'suppressErrorRendering', 'maxEdges', 'htmlLabels'],
    fontFamily: getComputedStyle(document.body).fontFamily,
    theme: 'base',
    // A Gantt chart is as narrow as a phone by default, and its dates overlap.
    gantt: { useWidth: 720 },
    themeVariables: {
      darkMode: isDark(),
      background,
      primaryColor: colorOf('accent-wash'),
      primaryTextColor: ink,
      primaryBorderColor: line,
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
function colorOf(token: string, className = ''): string {
  const probe = document.createElement('i');
  probe.className = className;
  probe.style.color = `var(--${token})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
