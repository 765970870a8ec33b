import { commands } from './commands.ts';

/** What can be typed. */
export function helpText(): string {
  const entries = Object.entries(commands).map(([name, { operands, options, help }]) => {
    const line = [name, ...operands.map((operand) => `<${operand}>`), ...options.map((option) => `[--${option}]`)];
    return [`  ${line.join(' ')}`, ...help.split('\n').map((text) => `      ${text}`)].join('\n');
  });
  return `Usage: npm run admin -- <command> …     in a container: node server/admin/main.ts <command> …

${entries.join('\n\n')}

list-users and list-organizations show the ids that the other commands take; find-user finds one. Lists have any length:
--limit is how many rows to show, --after the id of the row after which to begin. --json gives an array.
The database is the one that DATABASE_URL names, else the embedded one in DATA_DIR (stop the server first: it has that
one to itself). Every command leaves a line of the trail.
Exit codes: 0 done, 1 failed and nothing changed, 2 not typed as above.
`;
}
