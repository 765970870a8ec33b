import type { FailingPart } from '../records.ts';

/** Every kind of fault that is injected and the parts that it takes away; the most telling first. */
export const failingParts = {
  'database crashed': ['database'],
  'product stopped': ['product stopped'],
  'Redis frozen': ['redis'],
  'transactions killed': ['database'],
  'product killed': ['product killed'],
  'provider overloaded': ['provider'],
  'database frozen': ['database'],
  'Redis away': ['redis'],
  'database away': ['database'],
  'provider failing': ['provider'],
  'database and Redis away': ['database', 'redis'],
  'Redis restarted': ['redis'],
  'database restarted': ['database'],
  'provider cutting replies': ['provider'],
  'provider rejecting the key': ['provider'],
} as const satisfies Record<string, FailingPart[]>;

export type FaultKind = keyof typeof failingParts;

export const faultKinds = Object.keys(failingParts).filter((name): name is FaultKind =>
  Object.hasOwn(failingParts, name),
);
