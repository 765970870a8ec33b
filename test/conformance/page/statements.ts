/** How many statements the specification comes to. Their numbers are 1 to this. */
export const statementCount = 133;

/** What a run knows of a test: its title, and whether it passed. */
export type Outcome = { title: string; passed: boolean };

/** The number of the statement that a test in `test/conformance` proves, and its sentence; null for any other test. */
export function readStatement(title: string): { number: number; sentence: string } | null {
  const [, number, sentence] = /^(\d+) (.+)$/.exec(title) ?? [];
  return number === undefined || sentence === undefined ? null : { number: Number(number), sentence };
}

/** How many statements a run has proven, and which it has not. Two tests of one number prove nothing. */
export function summaryOf(outcomes: readonly Outcome[]): { allProven: boolean; text: string } {
  const found = new Map<number, boolean[]>();
  for (const { title, passed } of outcomes) {
    const number = readStatement(title)?.number;
    if (number !== undefined) found.set(number, [...(found.get(number) ?? []), passed]);
  }
  const kinds = { missing: [] as number[], failed: [] as number[], twice: [] as number[], unknown: [] as number[] };
  for (let number = 1; number <= statementCount; number += 1) {
    const [first, ...others] = found.get(number) ?? [];
    if (first === undefined) kinds.missing.push(number);
    else if (others.length > 0) kinds.twice.push(number);
    else if (!first) kinds.failed.push(number);
    found.delete(number);
  }
  kinds.unknown.push(...found.keys());

  const { missing, twice, failed } = kinds;
  const proven = statementCount - missing.length - twice.length - failed.length;
  const complaints = Object.entries(kinds).flatMap(([kind, numbers]) =>
    numbers.length === 0 ? [] : [`${kind} ${numbers.join(' ')}`],
  );
  if (complaints.length === 0) return { allProven: true, text: `${proven} of ${statementCount} statements proven` };
  return { allProven: false, text: `${proven} of ${statementCount}: ${complaints.join(', ')}` };
}
