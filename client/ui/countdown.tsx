import { useSecondsUntil } from './use-seconds-until.ts';

/** The time until `deadline` (milliseconds since the epoch), such as `42 s` or `12 min 05 s`, counting down. */
export function Countdown({ deadline }: { deadline: number }) {
  const seconds = useSecondsUntil(deadline);
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  return (
    <span role="timer" className="countdown">
      {minutes === 0 ? `${rest} s` : `${minutes} min ${String(rest).padStart(2, '0')} s`}
    </span>
  );
}
