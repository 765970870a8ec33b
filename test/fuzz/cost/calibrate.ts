import { plainTurn } from '../arbitraries/plain-turn.ts';
import type { Target } from '../target.ts';
import { tryCase } from '../try-case.ts';
import type { CostClasses } from './cost-classes.ts';

const warmUps = 30;
const samples = 5;
const lengths = [100, 3_000, 12_000, 50_000, 200_000, 900_000];

/** Finds out what a plain turn of each size costs here, once the process is warm. */
export async function calibrate(target: Target, costs: CostClasses): Promise<void> {
  for (let turn = 0; turn < warmUps; turn += 1) await tryCase(target, plainTurn(100));
  for (const length of lengths) {
    for (let sample = 0; sample < samples; sample += 1) {
      const { evidence, sizeBytes } = await tryCase(target, plainTurn(length));
      costs.add(sizeBytes, evidence.settled.cpuMicroseconds);
    }
  }
}
