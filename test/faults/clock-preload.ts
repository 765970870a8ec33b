import process from 'node:process';

/*
 * Preloaded into a spawned server by `--import`. Each SIGUSR2 sets the clock that `Date` reads to the next of these offsets
 * from the real time. Monotonic clocks are unaffected, as on a machine whose system clock is changed.
 */
const offsetsInHours = [1, -1, 0];

const RealDate = Date;
let offsetMilliseconds = 0;
let changes = 0;

const now = () => RealDate.now() + offsetMilliseconds;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, parameters, newTarget) =>
    Reflect.construct(target, parameters.length === 0 ? [now()] : parameters, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

process.on('SIGUSR2', () => {
  const offHours = offsetsInHours[changes % offsetsInHours.length] ?? 0;
  changes += 1;
  offsetMilliseconds = offHours * 3_600_000;
  process.stdout.write(`The clock is off by ${offHours} hours.\n`);
});
