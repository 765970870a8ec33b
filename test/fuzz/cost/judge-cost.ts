import type { Case } from '../arbitraries/cases.ts';
import { plainTurn } from '../arbitraries/plain-turn.ts';
import type { Target } from '../target.ts';
import { tryCase } from '../try-case.ts';
import { type CostClasses, mostTimes } from './cost-classes.ts';

/** How often a cost that is too high is measured before it counts. */
const repeats = 6;

type Tried = { tried: Case; sizeBytes: number; cpuMicroseconds: number };

/**
 * What is wrong with the cost of a case, if anything. One that is too high is measured again and again, in turns with a
 * plain turn of its size: what slows the machine down slows both, and the least of each is compared.
 */
export async function complaintsAboutCost(
  target: Target,
  costs: CostClasses,
  { tried, sizeBytes, cpuMicroseconds }: Tried,
): Promise<string[]> {
  let most = costs.most(sizeBytes);
  let cost = cpuMicroseconds;
  let plainCost = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < repeats && cost > most; repeat += 1) {
    const plain = await tryCase(target, plainTurn(sizeBytes));
    const again = await tryCase(target, tried);
    plainCost = Math.min(plainCost, plain.evidence.settled.cpuMicroseconds);
    cost = Math.min(cost, again.evidence.settled.cpuMicroseconds);
    most = Math.max(costs.most(sizeBytes), mostTimes * plainCost);
  }
  if (cost <= most) return [];
  return [`It costs ${milliseconds(cost)}, and may cost ${milliseconds(most)} at ${sizeBytes} bytes.`];
}

const milliseconds = (microseconds: number) => `${(microseconds / 1_000).toFixed(1)} ms of processor time`;
