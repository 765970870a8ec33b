import '../../styles/chart.css';
import { useRef, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl/react';
import { createPicture } from '../drawing-picture.ts';
import { PictureActions } from '../picture-actions.tsx';
import { PictureDialog } from '../picture-dialog.tsx';
import { type ChartData, defaultColumns, maxChosenColumns, type NumberColumn, toggleColumn } from './chart-data.ts';

/** A chart of the chosen columns, which share a unit and therefore an axis. */
export default function ChartView({ data: { columns, ...rows } }: { data: ChartData }) {
  const t = useTranslations('charts');
  const format = useFormatter();
  const [isEnlarged, setIsEnlarged] = useState(false);
  const [chosen, setChosen] = useState(() => defaultColumns(columns));
  const drawing = useRef<HTMLDivElement>(null);

  const picture = async () => {
    if (drawing.current === null) throw new Error('No column is chosen.');
    return createPicture(drawing.current);
  };
  const shownColumns = chosen.map((column, index) => ({ ...column, color: `var(--series-${index})` }));
  return (
    <div className="chart">
      <div className="chart-tools">
        {columns.length > 1 && (
          <fieldset className="chart-columns" aria-label={t('columns')}>
            {columns.map((column, index) => {
              const toggled = toggleColumn(columns, chosen, column);
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: two columns can have the same name.
                <label key={index} style={{ '--series': shownColumns[chosen.indexOf(column)]?.color ?? 'auto' }}>
                  <input
                    type="checkbox"
                    checked={chosen.includes(column)}
                    disabled={toggled.length > maxChosenColumns}
                    onChange={() => setChosen(toggled)}
                  />
                  {column.name}
                </label>
              );
            })}
          </fieldset>
        )}
        {chosen.length > 0 && <PictureActions createPicture={picture} onEnlarge={() => setIsEnlarged(true)} />}
      </div>
      {chosen.length > 0 && (
        <div ref={drawing} className="chart-drawing">
          <Chart {...rows} columns={shownColumns} />
        </div>
      )}
      {isEnlarged && (
        <PictureDialog
          label={format.list(chosen.map(({ name }) => name))}
          createPicture={picture}
          onClose={() => setIsEnlarged(false)}
        />
      )}
    </div>
  );
}

type ChartProps = Omit<ChartData, 'columns'> & { columns: readonly (NumberColumn & { color: string })[] };

/** One number in a chart. `share` is its distance from the start of the axis, in percent of the axis. */
type Mark = { value: number; color: string; title: string; label: string; share: number };

/** Longer values are abbreviated, such as `€1.2M`. */
const maxValueCharacters = 9;

/** Screen readers get a description instead of the drawing, because the table has the numbers. */
function Chart({ labels, columns }: ChartProps) {
  const t = useTranslations('charts');
  const format = useFormatter();
  const { unit = '', isUnitFirst, isUnitSpaced } = columns[0] ?? {};
  const withUnit = (number: string) =>
    isUnitFirst ? number.replace(/\p{Nd}/u, (digit) => unit + digit) : number + (isUnitSpaced ? '\u00A0' : '') + unit;
  const abbreviated = (value: number) =>
    withUnit(format.number(value, { notation: 'compact', useGrouping: 'always', maximumSignificantDigits: 6 }));

  const ticks = axisTicks([0, ...columns.flatMap(({ values }) => values)]);
  const [low = 0] = ticks;
  const shareOf = (value: number) => (100 * (value - low)) / ((ticks.at(-1) ?? 1) - low);
  const marksByRow = labels.map((rowLabel, row) =>
    columns.map(({ name, color, values }): Mark => {
      const value = values[row] ?? 0;
      const valueText = withUnit(format.number(value));
      const title = t('point', { value: valueText, label: columns.length > 1 ? `${rowLabel}, ${name}` : rowLabel });
      const label = valueText.length > maxValueCharacters ? abbreviated(value) : valueText;
      return { value, color, title, label, share: shareOf(value) };
    }),
  );
  const ordered = marksByRow.flat().sort((one, other) => one.value - other.value);
  const description = t('description', {
    names: format.list(columns.map(({ name }) => name)),
    first: labels[0] ?? '',
    last: labels.at(-1) ?? '',
    lowest: ordered[0]?.title ?? '',
    highest: ordered.at(-1)?.title ?? '',
  });
  const longest = (marks: readonly Mark[]) => Math.max(0, ...marks.map(({ label }) => label.length));
  const style = {
    '--rows': labels.length,
    '--zero': shareOf(0),
    '--characters-after': longest(ordered),
    '--characters-before': longest(ordered.filter(({ value }) => value < 0)),
  };
  return (
    <div role="img" aria-label={description}>
      <div aria-hidden="true">
        <p className="chart-title">
          {columns.map(({ name, color }) => (
            <span key={color} className="chart-name" style={{ '--series': color }}>
              {columns.length > 1 && <i className="chart-swatch" />}
              <bdi>{name}</bdi>
            </span>
          ))}
        </p>
        <div className="chart-bars" style={style}>
          <div className="chart-grid">
            {ticks.map((tick) => (
              <i key={tick} className={tick === 0 ? 'chart-zero' : undefined} style={{ '--share': shareOf(tick) }} />
            ))}
          </div>
          {labels.map((label, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two rows can have the same name.
            <div key={row} className="chart-row">
              <span className="chart-label" dir="auto" title={label}>
                {label}
              </span>
              <div className="chart-track">{marksByRow[row]?.map(renderBar)}</div>
            </div>
          ))}
          <div className="chart-axis">
            {ticks.map((tick) => (
              <span key={tick}>
                <bdi>{abbreviated(tick)}</bdi>
              </span>
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

function renderBar({ color, title, label, share, value }: Mark) {
  return (
    <div key={color} className="chart-bar" style={{ '--share': share, '--series': color }} title={title}>
      <span className={value < 0 ? 'chart-value chart-value-before' : 'chart-value'}>
        {/* Keeps a minus sign before its number on a right-to-left page. */}
        <bdi>{label}</bdi>
      </span>
    </div>
  );
}
