const paths = {
  again: 'M13.5 8a5.5 5.5 0 1 1-1.7-4M12 1.5V4.4H9.1',
  arrow: 'M3 8h10M9 4l4 4-4 4',
  bin: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.6 9h6.8l.6-9',
  chart: 'M2.5 13.5h11M4.5 11V7.5M8 11V3M11.5 11V5.5',
  clock: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 5v3l2 1.5',
  code: 'M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5',
  copy: 'M6 5.5h7.5v8H6zM10.5 5.5v-3H3v8h3',
  cross: 'M4 4l8 8M12 4l-8 8',
  diagram: 'M2.5 2.5h5v4h-5zM8.5 9.5h5v4h-5zM5 6.5v5h3.5',
  down: 'M4 6.5l4 4 4-4',
  download: 'M8 2.5v7.5M4.5 7L8 10.5 11.5 7M3 13.5h10',
  end: 'M8 2.5v11M3.5 9L8 13.5 12.5 9',
  enlarge: 'M9.5 2.5h4v4M13.5 2.5l-4.5 4.5M6.5 13.5h-4v-4M2.5 13.5l4.5-4.5',
  list: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  next: 'M6.5 4l4 4-4 4',
  pencil: 'M3 13l.6-2.7L10.8 3a1.5 1.5 0 0 1 2.2 2.2L5.7 12.4z',
  pin: 'M5.5 2.5h5l-.7 4.5 2.2 2.5H4l2.2-2.5zM8 9.5v4.5',
  plus: 'M8 2.5v11M2.5 8h11',
  print: 'M4.5 6V2.5h7V6M4.5 11.5H2.5V6h11v5.5h-2M4.5 9.5h7v4h-7z',
  previous: 'M9.5 4l-4 4 4 4',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.3 10.3L13.5 13.5',
  settings: 'M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6M10 2.5a2 2 0 1 1 0 4a2 2 0 1 1 0-4M6 9.5a2 2 0 1 1 0 4a2 2 0 1 1 0-4',
  send: 'M8 13.5v-11M3.5 7L8 2.5 12.5 7',
  stop: 'M4.5 4.5h7v7h-7z',
  tick: 'M3 8.5l3.5 3.5L13 4.5',
  up: 'M4 9.5l4-4 4 4',
  transcript: 'M3 2.5h10v11H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h3',
} as const;

export type IconName = keyof typeof paths;

/** Hidden from screen readers, because the control has text or an accessible name. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg className={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
