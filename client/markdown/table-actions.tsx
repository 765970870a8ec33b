import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl/react';
import { Action } from '../controls/action.tsx';
import { CopyButton } from '../controls/copy-button.tsx';
import { saveFile } from '../controls/save-file.ts';
import { spreadsheetHtml } from './blocks-html.ts';
import { chartsOf } from './chart-data.ts';
import { ChartView } from './chart-view.tsx';
import type { Table } from './nodes.ts';
import { tableCsv, tableTsv } from './table-text.ts';
import { usualDecimalMark } from './usual-decimal-mark.ts';

/** Takes a table into a spreadsheet, and shows it as charts where it has numbers. */
export function TableActions({ table }: { table: Table }) {
  const say = useTranslations('tables');
  const locale = useLocale();
  const [isChartShown, setIsChartShown] = useState(false);
  const charts = chartsOf(table, usualDecimalMark(locale));

  const download = () => saveFile({ name: `${say('fileName')}.csv`, type: 'text/csv', text: tableCsv(table) });

  return (
    <>
      <div className="table-actions">
        <CopyButton label={say('copy')} text={() => tableTsv(table)} html={async () => spreadsheetHtml(table)} />
        <Action icon="download" label={say('download')} onClick={download} />
        {charts.length > 0 && (
          <Action
            icon="chart"
            label={say(isChartShown ? 'hideChart' : 'showChart')}
            onClick={() => setIsChartShown(!isChartShown)}
          />
        )}
      </div>
      {isChartShown && charts.map((chart) => <ChartView key={chart.series[0]?.name} chart={chart} />)}
    </>
  );
}
