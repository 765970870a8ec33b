import { type CSSProperties, type ReactNode, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl/react';
import { type ChartData, firstChoice, maxChosen, type NumberColumn } from './chart-data.ts';

type ChartStyle = CSSProperties & Partial<Record<'--steps' | '--zero', string | number>>;

/** The numbers of a table as charts, one for each unit; the person chooses the columns. */
export function ChartView({ data }: { data: ChartData }) {
  const t = useTranslations('charts');
  const [chosen, setChosen] = useState(() => firstChoice(data));
  const { columns } = data;

  const toggle = (column: NumberColumn) =>
    setChosen(columns.filter((other) => (other === column ? !chosen.includes(other) : chosen.includes(other))));
  const units = [...new Set(chosen.map(({ unit }) => unit))];
  return (
    <div className="chart">
      {columns.length > 1 && (
        <fieldset className="chart-columns">
          <legend className="visually-hidden">{t('columns')}</legend>
          {columns.map((column, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same name.
            <label key={index} className={seriesClass(chosen.indexOf(column))}>
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
      {units.map((unit) => (
        <Chart key={unit} data={data} chosen={chosen} unit={unit} />
      ))}
    </div>
  );
}

const seriesClass = (index: number) => (index < 0 ? undefined : `chart-series-${index}`);

type ChartProps = { data: ChartData; chosen: readonly NumberColumn[]; unit: string };

/** A chart on one axis. Who does not see it is told what it shows; the table itself stays. */
function Chart({ data: { labels, isTime }, chosen, unit }: ChartProps) {
  const t = useTranslations('charts');
  const format = useFormatter();
  const columns = chosen.filter((column) => column.unit === unit);
  const points = columns.flatMap(({ name, values }) =>
    values.flatMap((value, index) => (value === null ? [] : [{ value, label: labels[index] ?? '', name }])),
  );
  const ticks = ticksOver(points.map(({ value }) => value).concat(isTime ? [] : [0]));
  const [low = 0] = ticks;
  const shareOf = (value: number) => (100 * (value - low)) / ((ticks.at(-1) ?? 1) - low);

  const withUnit = (number: string) =>
    columns[0]?.isUnitFirst ? number.replace(/\p{Nd}/u, (digit) => unit + digit) : `${number}\u00A0${unit}`.trim();
  const told = (value: number, label: string, name: string) =>
    t('point', { value: withUnit(format.number(value)), label: columns.length > 1 ? `${label}, ${name}` : label });
  const extreme = (sign: 1 | -1) => {
    const point = points.reduce((best, other) => (sign * other.value > sign * best.value ? other : best));
    return told(point.value, point.label, point.name);
  };
  const names = format.list(columns.map(({ name }) => name));
  const description = t('description', {
    kind: isTime ? 'line' : 'bars',
    names,
    first: labels[0] ?? '',
    last: labels.at(-1) ?? '',
    lowest: extreme(-1),
    highest: extreme(1),
  });
  const scale = ticks.map((tick) => (
    <span key={tick}>{withUnit(format.number(tick, { notation: 'compact', maximumSignificantDigits: 6 }))}</span>
  ));
  const style: ChartStyle = { '--steps': ticks.length - 1, '--zero': `${shareOf(0)}%` };
  const shown = columns.map((column) => ({
    ...column,
    className: seriesClass(chosen.indexOf(column)),
    titles: column.values.map((value, index) => (value === null ? '' : told(value, labels[index] ?? '', column.name))),
  }));
  const Drawing = isTime ? Lines : Bars;
  return (
    <div role="img" aria-label={description}>
      <div aria-hidden="true" dir="ltr">
        <p className="chart-title" dir="auto">
          {names}
        </p>
        <Drawing labels={labels} columns={shown} scale={scale} shareOf={shareOf} style={style} />
      </div>
    </div>
  );
}

/** Round numbers at equal distances, of which the first and the last are not within `values`. */
function ticksOver(values: readonly number[]): number[] {
  const low = values.reduce((one, other) => Math.min(one, other));
  const high = values.reduce((one, other) => Math.max(one, other));
  const least = (high - low || Math.abs(high) || 1) / 4;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((times) => times * power).find((round) => round >= least) ?? least;
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}

type DrawingProps = {
  labels: readonly string[];
  columns: readonly (NumberColumn & { className: string | undefined; titles: readonly string[] })[];
  scale: ReactNode;
  /** How far a value is from the beginning of the axis, in per cent of its length. */
  shareOf: (value: number) => number;
  style: ChartStyle;
};

/** Each row a thing, each column a bar in it, from zero on. */
function Bars({ labels, columns, scale, shareOf, style }: DrawingProps) {
  return (
    <div className="chart-bars" style={style}>
      {labels.map((label, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two rows may have the same name.
        <div key={row} className="chart-row">
          <span className="chart-label" dir="auto">
            {label}
          </span>
          <div className="chart-track">
            {columns.map(({ name, values, className, titles }) => {
              const [from = 0, to = 0] = [0, values[row] ?? 0].map(shareOf).sort((one, other) => one - other);
              const place = { marginLeft: `${from}%`, width: `${to - from}%` };
              return <div key={name} className={`chart-bar ${className}`} style={place} title={titles[row]} />;
            })}
          </div>
        </div>
      ))}
      <div className="chart-axis-x">{scale}</div>
    </div>
  );
}

/** So many labels fit side by side; chart.css leaves some of them out where there is less room. */
const maxLabels = 7;

/** A line each column, from left to right a step in time. Where a value is not known, there is a gap. */
function Lines({ labels, columns, scale, shareOf, style }: DrawingProps) {
  const last = labels.length - 1;
  const xOf = (index: number) => (100 * index) / last;
  const every = Math.ceil(last / (maxLabels - 1));
  const labelled = labels.map((label, index) => ({ label, index })).filter(({ index }) => index % every === 0);
  return (
    <div className="chart-lines" style={style}>
      <div className="chart-axis-y">{scale}</div>
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
        {columns.map(({ name, values, className, titles }) => {
          const points = values.map((value, index) => (value === null ? '' : `${xOf(index)} ${100 - shareOf(value)}`));
          const path = points.map((point, index) => (point === '' ? '' : `${points[index - 1] ? 'L' : 'M'}${point}`));
          return (
            <g key={name} className={className}>
              <path className="chart-line" d={path.join('')} />
              {points.map((point, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a point is its place.
                <path key={index} className="chart-point" d={point && `M${point}h0`}>
                  <title>{titles[index]}</title>
                </path>
              ))}
            </g>
          );
        })}
      </svg>
      <div className={labelled.length > 3 ? 'chart-labels chart-labels-many' : 'chart-labels'}>
        {labelled.map(({ label, index }) => (
          <span key={index} dir="auto" style={{ left: `${xOf(index)}%` }}>
            {label}
          </span>
        ))}
      </div>
    </div>
  );
}
