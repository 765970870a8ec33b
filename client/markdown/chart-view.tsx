import { useEffect, useRef, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl/react';
import type { ChartData } from './chart-data.ts';
import { chartExtent, type Point } from './chart-extent.ts';

/** The numbers of a table as a small chart. Who does not see it is told what it shows; the table itself stays. */
export function ChartView({ chart }: { chart: ChartData }) {
  const say = useTranslations('charts');
  const format = useFormatter();
  const place = useRef<HTMLDivElement>(null);
  const [isFailed, setIsFailed] = useState(false);
  const { kind, labels, series, unit } = chart;

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    let isShown = true;
    let remove: (() => void) | undefined;
    import('./draw-chart.ts').then(
      ({ drawChart }) => {
        const scale = (value: number) => format.number(value, { notation: 'compact', maximumFractionDigits: 2 });
        if (isShown) remove = drawChart(chart, element, scale);
      },
      () => setIsFailed(true),
    );
    return () => {
      isShown = false;
      remove?.();
    };
  }, [chart, format]);

  if (isFailed) return <p className="aside">{say('failed')}</p>;
  const extent = chartExtent(chart);
  const told = (point: Point) => {
    const value = `${format.number(point.value)} ${unit}`.trim();
    return say('point', { value, label: series.length > 1 ? `${point.label}, ${point.name}` : point.label });
  };
  const description =
    extent &&
    say('description', {
      kind,
      names: format.list(series.map(({ name }) => name)),
      first: labels[0] ?? '',
      last: labels.at(-1) ?? '',
      lowest: told(extent.lowest),
      highest: told(extent.highest),
    });
  return (
    <div className="chart">
      <div role="img" aria-label={description}>
        <div ref={place} className={`chart-drawing chart-${kind}`} aria-hidden="true" dir="ltr" />
      </div>
      <ul className="chart-legend" aria-hidden="true">
        {series.map(({ name }, index) => (
          <li key={name} className={`chart-series-${index}`}>
            {unit === '' ? name : `${name} (${unit})`}
          </li>
        ))}
      </ul>
    </div>
  );
}
