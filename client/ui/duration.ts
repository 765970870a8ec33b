/** Whole seconds in words, such as `42 s`, `12 min 05 s` or `11 h 06 min`: in hours, nobody waits for seconds. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${twoDigits(seconds % 60)} s`;
  const minutesLeft = Math.ceil(seconds / 60);
  return `${Math.floor(minutesLeft / 60)} h ${twoDigits(minutesLeft % 60)} min`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
