import 'react';

declare module 'react' {
  /** The custom properties that style sheets read. */
  interface CSSProperties {
    [property: `--${string}`]: string | number;
  }
}
