import '../styles/chart.css';
import { useRef, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl/react';
import { type ChartData, defaultColumns, maxChosen, type NumberColumn, toggleColumn } from './chart-data.ts';
import { drawingPicture } from './drawing-picture.ts';
import { PictureActions } from './picture-actions.tsx';

/** A chart of the chosen columns, which share a unit and therefore an axis. */
export default function ChartView({ data: { columns, ...rows } }: { data: ChartData }) {
  const t = useTranslations('charts');
  const [chosen, setChosen] = useState(() => defaultColumns(columns));
  const drawing = useRef<HTMLDivElement>(null);

  const picture = async () => {
    if (drawing.current === null) throw new Error('No column is chosen.');
    return drawingPicture(drawing.current);
  };
  const shownColumns = chosen.map((column, index) => ({ ...column, className: `chart-series-${index}` }));
  return (
    <div className="chart">
      <div className="chart-tools">
        {columns.length > 1 && (
          <fieldset className="chart-columns" aria-label={t('columns')}>
            {columns.map((column, index) => {
              const toggled = toggleColumn(columns, chosen, column);
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: two columns can have the same name.
                <label key={index} className={shownColumns[chosen.indexOf(column)]?.className}>
                  <input
                    type="checkbox"
                    checked={chosen.includes(column)}
                    disabled={toggled.length > maxChosen}
                    onChange={() => setChosen(toggled)}
                  />
                  {column.name}
                </label>
              );
            })}
          </fieldset>
        )}
        {chosen.length > 0 && <PictureActions fileName={t('fileName')} picture={picture} />}
      </div>
      {chosen.length > 0 && (
        <div ref={drawing}>
          <Chart {...rows} columns={shownColumns} />
        </div>
      )}
    </div>
  );
}

type ChartProps = Omit<ChartData, 'columns'> & { columns: readonly (NumberColumn & { className: string })[] };

/** One number in a chart. `share` is its distance from the start of the axis, in percent of the axis. */
type Mark = { value: number; row: number; className: string; title: string; label: string; share: number };

/** Longer values are abbreviated, such as `€1.2M`. */
const maxValueCharacters = 9;

/** Screen readers get a description instead of the drawing, because the table has the numbers. */
function Chart({ labels, isTime, columns }: ChartProps) {
  const t = useTranslations('charts');
  const format = useFormatter();
  const { unit = '', isUnitFirst, isUnitSpaced } = columns[0] ?? {};
  const withUnit = (number: string) =>
    isUnitFirst ? number.replace(/\p{Nd}/u, (digit) => unit + digit) : number + (isUnitSpaced ? '\u00A0' : '') + unit;
  const abbreviated = (value: number) =>
    withUnit(format.number(value, { notation: 'compact', useGrouping: 'always', maximumSignificantDigits: 6 }));

  const values = columns.flatMap((column) => column.values);
  const ticks = axisTicks(isTime ? values : [0, ...values]);
  const [low = 0] = ticks;
  const shareOf = (value: number) => (100 * (value - low)) / ((ticks.at(-1) ?? 1) - low);
  const series = columns.map(({ name, className, values }) =>
    values.map((value, row): Mark => {
      const valueText = withUnit(format.number(value));
      const title = t('point', {
        value: valueText,
        label: columns.length > 1 ? `${labels[row]}, ${name}` : `${labels[row]}`,
      });
      const label = valueText.length > maxValueCharacters ? abbreviated(value) : valueText;
      return { value, row, className, title, label, share: shareOf(value) };
    }),
  );
  const ordered = series.flat().sort((one, other) => one.value - other.value);
  const description = t('description', {
    kind: isTime ? 'line' : 'bars',
    names: format.list(columns.map(({ name }) => name)),
    first: labels[0] ?? '',
    last: labels.at(-1) ?? '',
    lowest: ordered[0]?.title ?? '',
    highest: ordered.at(-1)?.title ?? '',
  });
  const Drawing = isTime ? Lines : Bars;
  const longest = (marks: readonly Mark[]) => Math.max(0, ...marks.map(({ label }) => label.length));
  const style = {
    '--rows': labels.length,
    '--zero': shareOf(0),
    '--characters-after': longest(ordered),
    '--characters-before': longest(ordered.filter(({ value }) => value < 0)),
  };
  return (
    <div role="img" aria-label={description}>
      <div aria-hidden="true" dir={isTime ? 'ltr' : undefined}>
        <p className="chart-title">
          {columns.map(({ name, className }) => (
            <span key={className} className={`chart-name ${className}`}>
              {columns.length > 1 && <i className="chart-swatch" />}
              <bdi>{name}</bdi>
            </span>
          ))}
        </p>
        <div className={isTime ? 'chart-lines' : 'chart-bars'} style={style}>
          <div className="chart-grid">
            {ticks.map((tick) => (
              <i key={tick} className={tick === 0 ? 'chart-zero' : undefined} style={{ '--share': shareOf(tick) }} />
            ))}
          </div>
          <Drawing labels={labels} series={series} />
          <div className="chart-axis">
            {ticks.map((tick) => (
              <span key={tick}>{abbreviated(tick)}</span>
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

/** Returns evenly spaced round numbers that enclose `values`. */
function axisTicks(values: readonly number[]): number[] {
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

/** One group of bars per row, with one bar per column and its value at the end. */
function Bars({ labels, series }: DrawingProps) {
  const marks = series.flat();
  const bar = ({ className, title, label, share, value }: Mark) => (
    <div key={className} className={`chart-bar ${className}`} style={{ '--share': share }} title={title}>
      <span className={value < 0 ? 'chart-value chart-value-before' : 'chart-value'}>{label}</span>
    </div>
  );
  return labels.map((label, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: two rows can have the same name.
    <div key={row} className="chart-row">
      <span className="chart-label" dir="auto">
        {label}
      </span>
      <div className="chart-track">{marks.filter((mark) => mark.row === row).map(bar)}</div>
    </div>
  ));
}

/** One line per column, and one step in time per row. */
function Lines({ labels, series }: DrawingProps) {
  const last = labels.length - 1;
  const xOf = (row: number) => (100 * row) / last;
  const pointOf = ({ row, share }: Mark) => `${xOf(row)} ${100 - share}`;
  const lineOf = (marks: readonly Mark[]) => `M${marks.map(pointOf).join('L')}`;
  // Seven labels fit side by side; chart.css hides some of them on narrow screens.
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
      <div className="chart-values">
        {labelled.map(({ row }) => (
          <div key={row}>
            {labelledMarks(series.flatMap((marks) => marks.filter((mark) => mark.row === row))).map(
              ({ className, label, share }) => (
                <span key={className} className="chart-value" style={{ '--x': xOf(row), '--share': share }}>
                  {label}
                </span>
              ),
            )}
          </div>
        ))}
      </div>
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

/** The height of a value's label, in percent of the plot's height of 13rem. */
const valueHeight = 10;

/** Returns the marks of one row with room for a label between them and the next mark. */
function labelledMarks(marks: readonly Mark[]): readonly Mark[] {
  const upwards = marks.toSorted((one, other) => one.share - other.share);
  return upwards.filter(
    ({ share }, index) => (upwards[index + 1]?.share ?? Number.POSITIVE_INFINITY) >= share + valueHeight,
  );
}
