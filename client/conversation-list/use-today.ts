import { useEffect, useState } from 'react';

/** A moment of the present day, in milliseconds since the epoch. Looked at anew when the person comes back to the page. */
export function useToday(): number {
  const [moment, setMoment] = useState(() => Date.now());
  useEffect(() => {
    const look = () => setMoment((known) => (isSameDay(known, Date.now()) ? known : Date.now()));
    document.addEventListener('visibilitychange', look);
    window.addEventListener('focus', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      window.removeEventListener('focus', look);
    };
  }, []);
  return moment;
}

function isSameDay(one: number, other: number): boolean {
  return new Date(one).toDateString() === new Date(other).toDateString();
}
