/** An sRGB color. All components are from 0 to 1. */
export type Color = { red: number; green: number; blue: number; alpha: number };

export const black: Color = { red: 0, green: 0, blue: 0, alpha: 1 };
export const white: Color = { red: 1, green: 1, blue: 1, alpha: 1 };

/** Parses a computed color, such as `rgb(0, 0, 0)` or `color(srgb 0 0 0 / 0.5)`. Returns null for other color spaces. */
export function parseColor(text: string): Color | null {
  const [, name, list = ''] = /^(rgba?|color)\((?:srgb )?([\d.,/ e-]+)\)$/.exec(text) ?? [];
  if (name === undefined) return null;
  const scale = name === 'color' ? 1 : 255;
  const [red = 0, green = 0, blue = 0, alpha = 1] = list.split(/[\s,/]+/).map(Number);
  return { red: red / scale, green: green / scale, blue: blue / scale, alpha };
}

/** Returns the opaque color of `color` painted on the opaque `paint`. */
export function blend({ red, green, blue, alpha }: Color, paint: Color): Color {
  const mix = (above: number, below: number) => above * alpha + below * (1 - alpha);
  return { red: mix(red, paint.red), green: mix(green, paint.green), blue: mix(blue, paint.blue), alpha: 1 };
}

/** The contrast ratio of two opaque colors, from 1 to 21, as the Web Content Accessibility Guidelines define it. */
export function contrast(one: Color, other: Color): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance({ red, green, blue }: Color): number {
  const linear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
