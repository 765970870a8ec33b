/** Returns whether a text shows anything. The blank Braille pattern is a symbol, but fonts draw nothing for it. */
export function isVisible(text: string): boolean {
  return /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);
}
