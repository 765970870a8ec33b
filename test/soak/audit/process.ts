import { holdsContent } from '../marks.ts';
import type { Life, Records, Sample, Violation } from '../records.ts';
import type { Rule } from './evidence.ts';

/** What the heap may have grown by between the second and the last third: more is a leak, less is noise. */
export const growthAllowed = { part: 0.05, bytes: 2 * 2 ** 20 };

/** A shorter run is over before everything has been used once: its heap is shown and not judged. */
export const turnsToJudge = 1_000;

/** The process holds no more at the end than at the beginning, ends well when it is told to, and says nothing it must not. */
export const processes: Rule = ({ records }) =>
  [...heap(records), ...handles(records), ...ends(records.lives), ...log(records.logLines)].map(
    (detail): Violation => ({ rule: 'process', detail }),
  );

/** The medians of the heap, garbage collected and nobody asking, in the second and in the last third of one process. */
export function heapOfThirds({ samples }: Pick<Records, 'samples'>): { second: number; last: number } | null {
  const life = samples.between.at(-1)?.life;
  const own = samples.between.filter((sample) => sample.life === life);
  const second = median(own.filter(({ progress }) => progress >= 1 / 3 && progress < 2 / 3));
  const last = median(own.filter(({ progress }) => progress >= 2 / 3));
  return second === null || last === null ? null : { second, last };
}

function heap(records: Records): string[] {
  if (records.questions.length < turnsToJudge) return [];
  const thirds = heapOfThirds(records);
  if (thirds === null) return ['the heap was not looked at in the second and the last third'];
  const { second, last } = thirds;
  const most = second + Math.max(growthAllowed.part * second, growthAllowed.bytes);
  return last <= most ? [] : [`the heap has grown from ${megabytes(second)} to ${megabytes(last)}`];
}

function handles({ samples: { idleBefore, idleAfter } }: Records): string[] {
  return Object.entries(idleAfter.resources)
    .filter(([type, count]) => count > (idleBefore.resources[type] ?? 0))
    .map(([type, count]) => `${count} of ${type} are left, ${idleBefore.resources[type] ?? 0} were there before`);
}

function ends(lives: readonly Life[]): string[] {
  return lives.flatMap(({ exitedAt, killed, code }, index) => {
    if (exitedAt === null) return [`process ${index} is still there`];
    return killed || code === 0 ? [] : [`process ${index} ended with ${code}`];
  });
}

/** What the product itself calls a loss, and what must never be written down. */
const losses = /this row is lost|an error that nobody caught|stopping failed/;

function log(lines: readonly string[]): string[] {
  const lost = lines.filter((line) => losses.test(line)).map((line) => `the log says: ${line.slice(0, 300)}`);
  const told = lines.filter(holdsContent).length;
  return told === 0 ? lost : [...lost, `${told} lines of the log repeat what people or the provider said`];
}

function median(samples: readonly Sample[]): number | null {
  const sorted = samples.map(({ heapUsedBytes }) => heapUsedBytes).toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
