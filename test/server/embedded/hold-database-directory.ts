import process from 'node:process';
import { lockDatabaseDirectory } from '../../../server/embedded/data-directory.ts';

/** A process of its own that takes the directory named by its argument, says so, and keeps it until it is ended. */
const { directory, unlock } = lockDatabaseDirectory(process.argv[2] ?? '');
// A lock that nobody can give back is garbage, and given back when it is collected.
process.once('exit', unlock);
process.stdout.write(`${directory}\n`);
process.stdin.resume();
