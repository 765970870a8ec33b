import type { Hole } from '../hole.ts';

const presence = 'server/limits/redis-presence.ts';
const counted = 'server/limits/counted-alone.ts';
const shared = 'server/limits/shared-window.ts';
const tokens = 'server/limits/shared-token-window.ts';

const returned = (title: string) => ({
  file: 'test/faults/redis-return.services.test.ts',
  title: `Redis that was away, for two instances ${title}`,
});
const cluster = (title: string) => ({
  file: 'test/faults/redis-cluster.services.test.ts',
  title: `Redis Cluster ${title}`,
});
const configured = (title: string) => ({ file: 'test/server/config/config.test.ts', title: `loadConfig ${title}` });

const noSecondLimit = returned(
  'stopped and started with nothing in it, lets nobody of demo chat have their limit once more',
);
const takenWithoutAnswer = returned('does not count a request twice that it had taken without an answer');

/** Counts that instances share, and what becomes of them while Redis is away. */
export const redis: readonly Hole[] = [
  {
    name: 'Redis is not looked for where nobody comes',
    file: presence,
    find: '    timer ??= setTimeout(lookAgain, restMilliseconds).unref();\n',
    replace: '',
    test: takenWithoutAnswer,
  },
  {
    name: 'What was counted while Redis was away is forgotten',
    file: counted,
    find: 'counted: all || among.has(key) ? countedHere(key) : [],',
    replace: 'counted: all && among.has(key) ? countedHere(key) : [],',
    test: noSecondLimit,
  },
  {
    name: 'What was counted while Redis was away counts for who comes again to the same instance',
    file: shared,
    find: '      void tellTheRest();\n',
    replace: '',
    test: returned('is told what was counted by an instance whose visitors do not come again, and the others go by it'),
  },
  {
    name: 'A Redis that was emptied unnoticed is not told again',
    file: presence,
    find: '    else onReturn();\n',
    replace: '',
    test: returned('and was emptied once more before anybody came, is told again'),
  },
  {
    name: 'A request that Redis took without an answer counts there and here',
    file: shared,
    find: '        if (wanted > 0) alone.doubt(key, id);\n',
    replace: '',
    test: takenWithoutAnswer,
  },
  {
    name: 'What Redis is told twice counts twice',
    file: counted,
    find: 'id: `$' + '{own}-$' + '{time}-$' + '{equals}`',
    replace: 'id: `$' + '{own}-$' + '{Math.random()}`',
    test: takenWithoutAnswer,
  },
  {
    name: 'A request that is sent twice takes two places',
    file: 'server/limits/redis-window.ts',
    find: "local taken = redis.call('ZSCORE', key, id)",
    replace: 'local taken = false',
    test: {
      file: 'test/server/limits/redis-window.test.ts',
      title:
        'createLimiter, with Redis of requests that were counted elsewhere takes one place for a request that is sent twice, also when it took the last',
    },
  },
  {
    name: 'What many have counted by themselves grows on Redis without end',
    file: 'server/limits/redis-window.ts',
    find: "  redis.call('ZREMRANGEBYRANK', key, 0, -1 - limit)\n",
    replace: '',
    test: {
      file: 'test/server/limits/redis-window.test.ts',
      title: 'createLimiter, with Redis of requests that were counted elsewhere keeps of many no more than decide',
    },
  },
  {
    name: "What was used of demo chat's budget while Redis was away is forgotten",
    file: tokens,
    find: '[...ids.flatMap(countedHere), ...settlements.map(settlement)]',
    replace: 'settlements.map(settlement)',
    test: returned("counts what was used of demo chat's budget meanwhile, by what it was settled at"),
  },
  {
    name: 'What a turn had reserved on Redis stays reserved where it ends while Redis is away',
    file: tokens,
    find: 'async () => settleLater(id, tokens),',
    replace: 'async () => undefined,',
    test: {
      file: 'test/server/limits/token-budget.services.test.ts',
      title:
        'createTokenBudget, while Redis is away counts by itself, with the whole budget, and counts all of it together once Redis is back',
    },
  },
  {
    name: 'One node of a cluster passes for a Redis that is up',
    file: 'server/configured-metrics.ts',
    find: 'redis: () => requireUsable(redis)',
    replace: 'redis: () => redis.ping().then(() => requireUsable)',
    test: cluster('of a process is away where REDIS_URL names one of its nodes, however well that answers'),
  },
  {
    name: 'A cluster that does not serve every key passes for one that is up',
    file: 'server/redis/state.ts',
    find: "state.get('cluster_state') !== 'ok' || state.get('cluster_slots_ok') !== allSlots",
    replace: 'state.get(allSlots) !== undefined',
    test: cluster('for the status is not up without one of its nodes'),
  },
  {
    name: 'Of two places of Redis one is left out',
    file: 'server/config/complaints.ts',
    find: 'placesOfRedis.length > 1',
    replace: 'placesOfRedis.length > 2',
    test: configured('refuses {"REDIS_URL":"redis://one","REDIS_CLUSTER":"one:6379"}'),
  },
  {
    name: 'The password of a cluster is printed',
    file: 'server/config/secrets.ts',
    find: '      return written(address.nodes.password);\n',
    replace: '      return [];\n',
    test: {
      file: 'test/server/config/secrets.test.ts',
      title: 'withoutSecrets leaves out the passwords of Redis, however it is addressed',
    },
  },
];
