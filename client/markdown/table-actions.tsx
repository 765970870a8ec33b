import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl/react';
import { Action } from '../ui/action.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { saveFile } from '../ui/save-file.ts';
import { tableHtml } from './blocks-html.ts';
import { chartData } from './chart-data.ts';
import { ChartView } from './chart-view.tsx';
import type { Table } from './nodes.ts';
import { tableCsv, tableTsv } from './table-text.ts';
import { usualDecimalMark } from './usual-decimal-mark.ts';

/** Takes a table into a spreadsheet, and shows it as a chart where it has numbers. */
export function TableActions({ table }: { table: Table }) {
  const say = useTranslations('tables');
  const locale = useLocale();
  const [isChartShown, setIsChartShown] = useState(false);
  const chart = chartData(table, usualDecimalMark(locale));

  const download = () => saveFile({ name: `${say('fileName')}.csv`, type: 'text/csv', text: tableCsv(table) });

  return (
    <>
      <div className="table-actions">
        <CopyButton label={say('copy')} text={() => tableTsv(table)} html={async () => tableHtml(table)} />
        <Action icon="download" label={say('download')} onClick={download} />
        {chart && (
          <Action
            icon="chart"
            label={say(isChartShown ? 'hideChart' : 'showChart')}
            onClick={() => setIsChartShown(!isChartShown)}
          />
        )}
      </div>
      {chart && isChartShown && <ChartView chart={chart} />}
    </>
  );
}
