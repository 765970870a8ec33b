import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl/react';
import { type ChartData, firstChoice, maxChosen, type NumberColumn } from './chart-data.ts';

/** The numbers of a table as charts, one for each unit; the person chooses the columns. */
export function ChartView({ data: { columns, ...rows } }: { data: ChartData }) {
  const t = useTranslations('charts');
  const [chosen, setChosen] = useState(() => firstChoice(columns));

  const toggle = (column: NumberColumn) =>
    setChosen(columns.filter((other) => chosen.includes(other) !== (other === column)));
  const shown = chosen.map((column, index) => ({ ...column, className: `chart-series-${index}` }));
  const units = new Set(chosen.map(({ unit }) => unit));
  return (
    <div className="chart">
      {columns.length > 1 && (
        <fieldset className="chart-columns" aria-label={t('columns')}>
          {columns.map((column, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same name.
            <label key={index} className={shown[chosen.indexOf(column)]?.className}>
              <input
                type="checkbox"
                checked={chosen.includes(column)}
                disabled={!chosen.includes(column) && chosen.length === maxChosen}
                onChange={() => toggle(column)}
              />
              {column.name}
            </label>
          ))}
        </fieldset>
      )}
      {[...units].map((unit) => (
        <Chart key={unit} {...rows} columns={shown.filter((column) => column.unit === unit)} />
      ))}
    </div>
  );
}

type ChartProps = Omit<ChartData, 'columns'> & { columns: readonly (NumberColumn & { className: string })[] };

/** What a chart shows of one cell; `share` is how far it is from the beginning of the axis, in per cent of its length. */
type Mark = { value: number; row: number; className: string; title: string; share: number };

/** A chart on one axis. Who does not see it is told what it shows; the table itself stays. */
function Chart({ labels, isTime, columns }: ChartProps) {
  const t = useTranslations('charts');
  const format = useFormatter();
  const { unit = '', isUnitFirst } = columns[0] ?? {};
  const withUnit = (number: string) =>
    isUnitFirst ? number.replace(/\p{Nd}/u, (digit) => unit + digit) : `${number}\u00A0${unit}`.trim();

  const values = columns.flatMap((column) => column.values).filter((value) => value !== null);
  const ticks = ticksOver(isTime ? values : [0, ...values]);
  const [low = 0] = ticks;
  const shareOf = (value: number) => (100 * (value - low)) / ((ticks.at(-1) ?? 1) - low);
  const series = columns.map(({ name, className, values }) =>
    values.flatMap((value, row): Mark | [] => {
      if (value === null) return [];
      const label = columns.length > 1 ? `${labels[row]}, ${name}` : `${labels[row]}`;
      const title = t('point', { value: withUnit(format.number(value)), label });
      return { value, row, className, title, share: shareOf(value) };
    }),
  );
  const ordered = series.flat().sort((one, other) => one.value - other.value);
  const names = format.list(columns.map(({ name }) => name));
  const description = t('description', {
    kind: isTime ? 'line' : 'bars',
    names,
    first: labels[0] ?? '',
    last: labels.at(-1) ?? '',
    lowest: ordered[0]?.title ?? '',
    highest: ordered.at(-1)?.title ?? '',
  });
  const Drawing = isTime ? Lines : Bars;
  const style = { '--steps': ticks.length - 1, '--zero': shareOf(0) };
  return (
    <div role="img" aria-label={description}>
      <div aria-hidden="true">
        <p className="chart-title">
          <bdi>{names}</bdi>
        </p>
        <div className={isTime ? 'chart-lines' : 'chart-bars'} dir="ltr" style={style}>
          <Drawing labels={labels} series={series} />
          <div className="chart-axis">
            {ticks.map((tick) => (
              <span key={tick}>
                {withUnit(format.number(tick, { notation: 'compact', maximumSignificantDigits: 6 }))}
              </span>
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

/** Round numbers at equal distances, of which the first and the last are not within `values`. */
function ticksOver(values: readonly number[]): number[] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const least = (high - low || Math.abs(high) || 1) / 4;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5].find((round) => round * power >= least) ?? 10);
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}

type DrawingProps = { labels: readonly string[]; series: readonly (readonly Mark[])[] };

/** Each row a thing, each column a bar in it, from zero on. */
function Bars({ labels, series }: DrawingProps) {
  const marks = series.flat();
  const bar = ({ className, title, share }: Mark) => (
    <div key={className} className={`chart-bar ${className}`} style={{ '--share': share }} title={title} />
  );
  return labels.map((label, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two rows may have the same name.
    <div key={row} className="chart-row">
      <span className="chart-label" dir="auto">
        {label}
      </span>
      <div className="chart-track">{marks.filter((mark) => mark.row === row).map(bar)}</div>
    </div>
  ));
}

/** A line each column, from left to right a step in time. Where a value is not known, there is a gap. */
function Lines({ labels, series }: DrawingProps) {
  const last = labels.length - 1;
  const xOf = (row: number) => (100 * row) / last;
  const pointOf = ({ row, share }: Mark) => `${xOf(row)} ${100 - share}`;
  const lineOf = (marks: readonly Mark[]) =>
    marks.map((mark, index) => (marks[index - 1]?.row === mark.row - 1 ? 'L' : 'M') + pointOf(mark)).join('');
  // Seven labels fit side by side; chart.css leaves some of them out where there is less room.
  const labelled = labels.map((label, row) => ({ label, row })).filter(({ row }) => row % Math.ceil(last / 6) === 0);
  return (
    <>
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
        {series.map((marks) => (
          <g key={marks[0]?.className} className={marks[0]?.className}>
            <path className="chart-line" d={lineOf(marks)} />
            {marks.map((mark) => (
              <path key={mark.row} className="chart-point" d={`M${pointOf(mark)}h0`}>
                <title>{mark.title}</title>
              </path>
            ))}
          </g>
        ))}
      </svg>
      <div className="chart-labels">
        {labelled.map(({ label, row }) => (
          <span key={row} dir="auto" style={{ left: `${xOf(row)}%` }}>
            {label}
          </span>
        ))}
      </div>
    </>
  );
}
