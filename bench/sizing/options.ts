import { parseArgs } from 'node:util';
import { peopleOf, type Use, usualUse } from './estimate.ts';

export const usage = `npm run sizing -- --people 1000000

  --people n          people who have an account
  --instances n       in place of --people: as many people as so many instances serve
  --active n          how many of 100 use it on a day (${usualUse.activeShare * 100})
  --turns n           questions that each of these asks on that day (${usualUse.turnsOfDay})
  --busiest-hour n    how many of 100 turns of a day are in its busiest hour (${usualUse.busiestHourShare * 100})
  --reply-seconds n   how long a reply streams (${usualUse.replySeconds})
  --help

docs/sizing.md says what the figures are made of.
`;

/** @throws Error in a sentence, where the arguments are none of these; null where they ask for help */
export function readOptions(argv: readonly string[]): Use | null {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      people: { type: 'string' },
      instances: { type: 'string' },
      active: { type: 'string' },
      turns: { type: 'string' },
      'busiest-hour': { type: 'string' },
      'reply-seconds': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const habits = {
    activeShare: share('--active', values.active, usualUse.activeShare),
    turnsOfDay: positive('--turns', values.turns, usualUse.turnsOfDay),
    busiestHourShare: share('--busiest-hour', values['busiest-hour'], usualUse.busiestHourShare),
    replySeconds: positive('--reply-seconds', values['reply-seconds'], usualUse.replySeconds),
  };
  if ((values.people === undefined) === (values.instances === undefined)) {
    throw new Error('Say --people or --instances, and not both.');
  }
  const instances = values.instances === undefined ? undefined : positive('--instances', values.instances, 1);
  const people = instances === undefined ? positive('--people', values.people, 1) : peopleOf(instances, habits);
  return { ...habits, people };
}

function positive(name: string, text: string | undefined, usual: number): number {
  if (text === undefined) return usual;
  const number = Number(text);
  if (!(number > 0) || !Number.isFinite(number)) throw new Error(`${name} wants a number above 0.`);
  return number;
}

function share(name: string, text: string | undefined, usual: number): number {
  const of100 = positive(name, text, usual * 100);
  if (of100 > 100) throw new Error(`${name} wants a number from 0 to 100.`);
  return of100 / 100;
}
