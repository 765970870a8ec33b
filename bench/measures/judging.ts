import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { demoMessages, liveRequest } from '../../server/chat/request-messages.ts';
import { loadConfig } from '../../server/config/config.ts';
import { bodies } from '../judging/bodies.ts';
import { showSpread, spreadOf } from '../report/spread.ts';
import type { Measure } from './measure.ts';
import { rotated } from './rounds.ts';

/** How often a body is parsed and judged for one sample. */
const times = 4;

type Sample = { parsing: number; live: number; demo: number; liveMemory: number; demoMemory: number };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What it takes to judge a request's body beside what it took to parse it, whatever the body is. */
export const measureJudging: Measure = async ({ rounds, say }) => {
  const { maxBodyBytes, maxMessages } = loadConfig({});
  const judges = {
    live: (body: unknown) => liveRequest(body, maxMessages),
    demo: (body: unknown) => demoMessages(body, maxMessages),
  };
  const shapes = Object.entries(bodies(maxBodyBytes, maxMessages));
  const samples = new Map<string, Sample[]>(shapes.map(([what]) => [what, []]));
  for (let round = 0; round <= rounds; round += 1) {
    say(`judging: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`);
    for (const [what, text] of rotated(shapes, round)) {
      const live = accountOf(text, judges.live);
      const demo = accountOf(text, judges.demo);
      const sample = {
        parsing: (live.parsing + demo.parsing) / 2,
        live: live.judging / live.parsing,
        demo: demo.judging / demo.parsing,
        liveMemory: live.memory,
        demoMemory: demo.memory,
      };
      if (round > 0) samples.get(what)?.push(sample);
    }
  }
  const all = [...samples.values()].flat();
  const figure = (taken: readonly Sample[], name: keyof Sample, digits: number) =>
    showSpread(spreadOf(taken.map((sample) => sample[name])), digits);
  return [
    {
      heading: 'Judging a request, whatever its body is',
      about:
        `Bodies of nearly ${maxBodyBytes.toLocaleString('en')} bytes, parsed and then judged in one process, ${times} times in each round. ` +
        'Processor time of judging as a multiple of that of `JSON.parse`; and what more is on the heap after it, garbage included, ' +
        'as a multiple of what `JSON.parse` left there.',
      columns: [
        'the body',
        '`JSON.parse`, ms',
        'live chat, times that',
        'demo chat',
        'memory, live chat',
        'memory, demo chat',
      ],
      rows: [...samples].map(([what, taken]) => [
        what,
        figure(taken, 'parsing', 1),
        ...(['live', 'demo', 'liveMemory', 'demoMemory'] as const).map((name) => figure(taken, name, 3)),
      ]),
      goals: [
        {
          what: 'the dearest body of all rounds, processor time',
          value: Math.max(...all.flatMap(({ live, demo }) => [live, demo])),
          most: 3,
          unit: ' times `JSON.parse`',
        },
        {
          what: 'the dearest body of all rounds, memory',
          value: Math.max(...all.flatMap(({ liveMemory, demoMemory }) => [liveMemory, demoMemory])),
          most: 2,
          unit: ' times what `JSON.parse` left',
        },
      ],
    },
  ];
};

/** Milliseconds of processor time, and memory as a multiple of what parsing left. */
function accountOf(text: string, judge: (body: unknown) => unknown) {
  const account = { parsing: 0, judging: 0, memory: 0 };
  for (let time = 0; time < times; time += 1) {
    collectGarbage();
    const empty = process.memoryUsage().heapUsed;
    const parsed = timed(() => JSON.parse(text));
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const judged = timed(() => outcomeOf(() => judge(parsed.result)));
    const after = process.memoryUsage().heapUsed;
    account.parsing += parsed.milliseconds / times;
    account.judging += judged.milliseconds / times;
    account.memory = Math.max(account.memory, (after - before) / (before - empty));
  }
  return account;
}

function timed<T>(work: () => T): { result: T; milliseconds: number } {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return { result, milliseconds: (user + system) / 1000 };
}

function outcomeOf(judge: () => unknown): unknown {
  try {
    return judge();
  } catch (refusal) {
    return refusal;
  }
}
