import process from 'node:process';

/*
 * Loaded into a served process by `--import`: each SIGUSR2 sets the clock of the day, as `Date` reads it, to the next of
 * these hours off the real one. What counts monotonically goes on, as it does on a machine whose clock is set.
 */
const hours = [1, -1, 0];

const RealDate = Date;
let movedMilliseconds = 0;
let moves = 0;

const now = () => RealDate.now() + movedMilliseconds;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, parameters, newTarget) =>
    Reflect.construct(target, parameters.length === 0 ? [now()] : parameters, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

process.on('SIGUSR2', () => {
  const offHours = hours[moves % hours.length] ?? 0;
  moves += 1;
  movedMilliseconds = offHours * 3_600_000;
  process.stdout.write(`The clock is off by ${offHours} hours.\n`);
});
