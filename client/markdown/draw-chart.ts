import { BarChart, LineChart, type Svg } from 'chartist';
import type { ChartData } from './chart-data.ts';
import './chart-styles.ts';

const lineHeight = 240;
const barHeight = 14;
const rowGap = 12;
const axisHeight = 36;
/** Labels beside each other need so much room. */
const labelWidth = 72;

/**
 * Draws `chart` into `place`, as wide as that is; `scale` writes the numbers of its axis. Gives what removes it.
 */
export function drawChart(chart: ChartData, place: HTMLElement, scale: (value: number) => string): () => void {
  const { kind, labels, series } = chart;
  const drawnSeries = series.map(({ values }, index) => ({ data: [...values], className: `chart-series-${index}` }));
  const axis = { labelInterpolationFnc: (value: unknown) => (typeof value === 'number' ? scale(value) : null) };
  const drawn = kind === 'line' ? line() : bars();
  // So that it fits a printed page as well, on which nothing is drawn again.
  drawn.on('created', ({ svg }: { svg: Svg }) => {
    svg.attr({ viewBox: `0 0 ${svg.width()} ${svg.height()}`, preserveAspectRatio: 'xMinYMin meet' });
  });

  function line() {
    const every = Math.max(1, Math.ceil((labels.length * labelWidth) / Math.max(1, place.clientWidth)));
    const data = { labels: [...labels], series: drawnSeries };
    return new LineChart(place, data, {
      height: lineHeight,
      // Room for the last label, which begins at its point.
      chartPadding: { top: 16, right: labelWidth, bottom: 0, left: 0 },
      lineSmooth: false,
      fullWidth: true,
      axisX: { labelInterpolationFnc: (label: unknown, index: number) => (index % every === 0 ? String(label) : null) },
      axisY: { ...axis, offset: 56 },
    });
  }

  function bars() {
    // The first row is drawn at the bottom, and in it the first column.
    const rows = drawnSeries.map(({ data, className }) => ({ data: data.toReversed(), className }));
    const upwards = { labels: labels.toReversed(), series: rows.toReversed() };
    return new BarChart(place, upwards, {
      chartPadding: { top: 8, right: 32, bottom: 0, left: 0 },
      height: labels.length * (series.length * barHeight + rowGap) + axisHeight,
      horizontalBars: true,
      seriesBarDistance: barHeight,
      axisX: axis,
      axisY: { offset: Math.min(140, Math.max(64, place.clientWidth * 0.3)) },
    });
  }

  return () => {
    drawn.detach();
    place.replaceChildren();
  };
}
