/** A figure that the product wants to keep: at most so much, or at least. */
export type Goal = { what: string; value: number; unit: string } & ({ most: number } | { least: number });

export type Table = {
  heading: string;
  /** how it was measured, in a sentence or two */
  about: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  goals?: readonly Goal[];
};

/** As columns of text, for a terminal. */
export function printTable({ heading, about, columns, rows, goals = [] }: Table): string {
  const lines = [columns, ...rows];
  const widths = columns.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `\n${[heading, about, '', ...text, ...goals.map(showGoal)].join('\n')}\n`;
}

/** As a section of a Markdown document. */
export function markdownTable({ heading, about, columns, rows, goals = [] }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const table = [line(columns), line(columns.map(() => '---')), ...rows.map(line), ''];
  const kept = goals.length === 0 ? [] : [...goals.map((goal) => `- ${showGoal(goal)}`), ''];
  return [`### ${heading}`, '', about, '', ...table, ...kept].join('\n');
}

function showGoal(goal: Goal): string {
  const { what, value, unit } = goal;
  const [bound, kept] = 'most' in goal ? ['at most', value <= goal.most] : ['at least', value >= goal.least];
  const limit = 'most' in goal ? goal.most : goal.least;
  const measured = Number(value.toPrecision(3)).toLocaleString('en');
  return `Goal: ${what}, ${bound} ${limit}${unit}. Measured: ${measured}${unit}, ${kept ? 'kept' : 'missed'}.`;
}
