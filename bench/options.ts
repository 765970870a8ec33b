import { parseArgs } from 'node:util';

export const usage = `npm run bench [-- options]

  --quick         fewer rounds, fewer streams, no goals: a look, not a result
  --only a,b      these parts alone
  --rounds n      how many rounds count (7; with --quick 2)
  --write         put the results into docs/performance.md
  --help
`;

/** @throws Error in a sentence, where the arguments are none of these */
export function readOptions(argv: readonly string[], parts: readonly string[]) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      rounds: { type: 'string' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const only = values.only?.split(',') ?? [...parts];
  const unknown = only.filter((name) => !parts.includes(name));
  if (unknown.length > 0) throw new Error(`There is no part ${unknown.join(', ')}; there are ${parts.join(', ')}.`);
  const rounds = Number(values.rounds ?? (values.quick ? 2 : 7));
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds wants a whole number.');
  return { quick: values.quick, write: values.write, help: values.help, only, rounds };
}
