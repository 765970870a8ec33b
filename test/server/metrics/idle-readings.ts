import type { Readings } from '../../../server/metrics/metrics.ts';

export const idleReadings: Readings = {
  version: '1.2.3',
  build: undefined,
  providers: ['google', 'github', 'microsoft'],
  stopping: () => false,
  streams: () => 0,
  maxStreams: 5000,
  bodyBytes: () => 0,
  limitsShared: () => ({ live: false, demo: false }),
  lateWrites: () => ({ late: 0, oldestSeconds: 0, retried: 0, lost: 0 }),
  databasePool: () => ({ size: 10, inUse: 0, idle: 0, waiting: 0 }),
  droppedLogLines: () => 0,
  databaseConnectionsRefused: () => 0,
  providerUp: () => true,
  oldestWaitSeconds: () => 0,
  parts: async () => ({ database: { state: 'up', clockAheadSeconds: 0 } }),
};
