/** Words that are frequent in one of these languages and rare in the others. */
const frequentWords = {
  en: ['the', 'and', 'of', 'is', 'to', 'that', 'with', 'this', 'are', 'you'],
  de: ['der', 'und', 'das', 'ist', 'nicht', 'mit', 'für', 'auf', 'ein', 'eine'],
  fr: ['le', 'les', 'des', 'et', 'est', 'une', 'pour', 'dans', 'du', 'vous'],
  es: ['el', 'los', 'las', 'y', 'es', 'una', 'para', 'con', 'del', 'por'],
};

/** The start of a reply decides, so that its language does not change while it grows. */
const decisiveCharacters = 1000;
const minWords = 3;

export function sampleOf(reply: string): string {
  return reply.slice(0, decisiveCharacters);
}

/** Returns the language of a text, by which browsers hyphenate; undefined if it is too short, mixed or in another language. */
export function languageOf(text: string): string | undefined {
  const words = text.toLowerCase().split(/[^\p{L}\p{M}]+/u);
  const [best, second] = Object.entries(frequentWords)
    .map(([language, frequent]) => ({ language, count: words.filter((word) => frequent.includes(word)).length }))
    .sort((one, other) => other.count - one.count);
  if (!best || !second || best.count < minWords || best.count < 2 * second.count) return undefined;
  return best.language;
}
