import { BarChart, LineChart, type Svg } from 'chartist';
import type { ChartData } from './chart-data.ts';
import './chart-styles.ts';

const lineHeight = 240;
const barHeight = 14;
const rowGap = 12;
const axisHeight = 40;
const scaleWidth = 56;
/** As wide as chart.css makes the labels below a chart, each in the middle below its point. */
const labelWidth = 72;
const numberWidth = 48;
/** Between the labels beside a chart and its axis. */
const gap = 4;

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
    const right = labelWidth / 2;
    // Of many labels, as many are shown as there is room for side by side.
    const every = () => {
      const width = Math.max(1, place.clientWidth - gap - scaleWidth - right);
      return Math.max(1, Math.ceil(((labels.length - 1) * labelWidth) / width));
    };
    const data = { labels: [...labels], series: drawnSeries };
    return new LineChart(place, data, {
      height: lineHeight,
      chartPadding: { top: 16, right, bottom: 0, left: gap },
      lineSmooth: false,
      fullWidth: true,
      axisX: {
        offset: axisHeight,
        labelOffset: { x: 0, y: gap },
        labelInterpolationFnc: (label: unknown, index: number) => (index % every() === 0 ? String(label) : null),
      },
      // A number stands beside its line, and not above it.
      axisY: { ...axis, offset: scaleWidth, labelOffset: { x: -gap, y: 7 } },
    });
  }

  function bars() {
    // The first row is drawn at the bottom, and in it the first column.
    const rows = drawnSeries.map(({ data, className }) => ({ data: data.toReversed(), className }));
    const upwards = { labels: labels.toReversed(), series: rows.toReversed() };
    return new BarChart(place, upwards, {
      chartPadding: { top: 8, right: numberWidth / 2, bottom: 0, left: gap },
      height: labels.length * (series.length * barHeight + rowGap) + axisHeight,
      horizontalBars: true,
      seriesBarDistance: barHeight,
      axisX: { ...axis, scaleMinSpace: numberWidth },
      axisY: { offset: Math.min(140, Math.max(64, place.clientWidth * 0.3)), labelOffset: { x: -gap, y: 0 } },
    });
  }

  return () => {
    drawn.detach();
    place.replaceChildren();
  };
}
