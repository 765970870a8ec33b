/**
 * A module that a program of Node's own is started with (`--import`). It prints, on standard error at the program's end, how
 * much memory the program has had at the most, in KiB. It is the kernel's own figure for this program: that of
 * `process.resourceUsage()` begins with the memory of the process that started it.
 */
export const memoryWatch = `data:text/javascript,${encodeURIComponent(`
  import { readFileSync } from 'node:fs';
  process.on('exit', () => {
    const [, most] = /^VmHWM:\\s*(\\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
    process.stderr.write(most);
  });
`)}`;
