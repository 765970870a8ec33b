/** A number as a table writes it: its digits with the marks between them, how many zeros its magnitude adds, and its unit. */
export type WrittenNumber = {
  isNegative: boolean;
  digits: string;
  exponent: number;
  unit: string;
  isUnitFirst: boolean;
};

export type DecimalMark = '.' | ',';

type Exponents = Readonly<Record<string, number | undefined>>;

/** Magnitudes that mean the same in every table. "billion" is not one of them: it counts differently in other languages. */
const words: Exponents = {
  ...{ tsd: 3, thousand: 3, mln: 6, mio: 6, million: 6, millions: 6, millionen: 6, millón: 6, millones: 6 },
  ...{ bn: 9, mrd: 9, md: 9, mds: 9, milliard: 9, milliards: 9, milliarde: 9, milliarden: 9 },
  ...{ lakh: 5, lakhs: 5, crore: 7, crores: 7 },
};
/** Beside a currency, or right behind the digits: `300 K` are kelvins. */
const letters: Exponents = { k: 3, K: 3, M: 6, B: 9 };
/** As English has them, with the currency in front. Elsewhere `T€` is a thousand, and `m` are metres. */
const lettersBehindCurrency: Exponents = { m: 6, mn: 6, b: 9, T: 12, tn: 12 };
const lettersBehindRupees: Exponents = { L: 5, Cr: 7, cr: 7 };
/** The magnitudes of Chinese, Japanese and Korean. Two of them multiply: 千万 is a thousand times ten thousand. */
const eastAsian: Exponents = {
  ...{ 十: 1, 百: 2, 千: 3, 万: 4, 萬: 4, 億: 8, 亿: 8, 兆: 12 },
  ...{ 십: 1, 백: 2, 천: 3, 만: 4, 억: 8, 조: 12 },
};

/** A longer text is no number: every number that people write is shorter, and so the patterns have little to look at. */
const maxNumberCharacters = 60;

const currency =
  '(?:[$€£¥₹₨₽₩₪₺₫฿₴₦]|(?:US|CA|AU|NZ|HK)\\$|(?:USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|AUD|CAD)\\b|Rs\\b\\.?|Fr\\.)';
const digits = "(?<digits>\\d+(?:[.,'’ ]\\d+)*)";
const longestFirst = [...Object.keys(words), 'mn', 'tn', 'cr', 'k', 'm', 'b', 't', 'l'].toSorted(
  (a, b) => b.length - a.length,
);
const start = `^(?<first>[-−–+]?) ?(?<before>${currency})? ?(?<second>[-−–+]?) ?${digits}(?<space> ?)`;
const amount = new RegExp(`${start}(?:(?<magnitude>${longestFirst.join('|')})\\.?)? ?(?<behind>${currency})?$`, 'iu');
const eastAsianAmount = new RegExp(
  `${start}(?<eastAsian>[十百千십백천]?[万萬億亿兆만억조]|[千천]) ?` +
    `(?<behind>${currency}|[\\p{Script=Han}\\p{Script=Hangul}\\p{Script=Katakana}ー]{1,6})?$`,
  'iu',
);
/** Any sign or word of one piece may be a unit. */
const unit = '[%‰×]|°\\p{L}?|\\p{L}{0,3}\\p{Sc}(?:/\\p{L}{1,9})?|[\\p{L}µ][\\p{L}.²³]{0,14}(?:/\\p{L}{1,9})?';
const measure = new RegExp(`^(?<first>[-−–+]?) ?${digits} ?(?<behind>${unit})$`, 'u');

/** Reads one number with its unit; undefined where there is more in the text than that. */
export function readNumber(text: string): WrittenNumber | undefined {
  const written = text.trim();
  if (written.length > maxNumberCharacters || !/\p{Nd}/u.test(written)) return undefined;
  const whole = asciiDigits(written).replace(/\s+/g, ' ');
  const inParentheses = /^\((.+)\)$/.exec(whole)?.[1]?.trim();
  const plain = inParentheses ?? whole;
  const found = [amount, eastAsianAmount, measure].map((pattern) => pattern.exec(plain)?.groups).find(isClear);
  if (found === undefined) return undefined;
  const { first = '', second = '', before = '', digits: number = '', behind = '' } = found;
  const isNegative = inParentheses !== undefined || /[-−–]/.test(first + second);
  return {
    isNegative,
    digits: number,
    exponent: exponentOf(found) ?? 0,
    unit: before || behind,
    isUnitFirst: before !== '',
  };
}

type Groups = Readonly<Record<string, string | undefined>>;

function isClear(groups: Groups | undefined): groups is Groups {
  if (groups === undefined || exponentOf(groups) === undefined) return false;
  return !(groups.first && groups.second) && !(groups.before && groups.behind);
}

/** How many zeros the magnitude stands for; undefined where nobody can say it. */
function exponentOf(groups: Groups): number | undefined {
  const { magnitude, before, behind, space } = groups;
  if (groups.eastAsian !== undefined) return eastAsianExponent(groups.eastAsian, behind);
  if (magnitude === undefined) return 0;
  const isInRupees = /^(?:₹|₨|INR|Rs)/i.test(before || behind || '');
  const byLetter = before || behind || space === '' ? letters[magnitude] : undefined;
  return (
    words[magnitude.toLowerCase()] ??
    (isInRupees ? lettersBehindRupees[magnitude] : undefined) ??
    (before ? lettersBehindCurrency[magnitude] : undefined) ??
    byLetter
  );
}

function eastAsianExponent(magnitude: string, behind: string | undefined): number | undefined {
  // 兆 is a million millions in Japanese, and can be a single million in Chinese.
  if (magnitude.includes('兆') && !behind?.includes('円')) return undefined;
  return [...magnitude].reduce((sum, sign) => sum + (eastAsian[sign] ?? 0), 0);
}

/** Whether a text has an East Asian magnitude behind digits, as `1億2,000万円` has. */
export function hasEastAsianMagnitude(text: string): boolean {
  return /\p{Nd}\s?[千万萬億亿兆천만억조]/u.test(text);
}

/** Which mark stands before the fraction of a number, as far as it tells. */
export function decimalMarkIn({ digits: number }: WrittenNumber): DecimalMark | undefined {
  const marks = number.replace(/[^.,]/g, '');
  const last = marks.at(-1);
  if (last !== '.' && last !== ',') return undefined;
  const other = last === '.' ? ',' : '.';
  // Both marks: the last one is before the fraction. One mark more than once: it is between thousands.
  if (marks.includes(other)) return last;
  if (marks.length > 1) return other;
  // Anything but three digits after it, or a zero before it, and it cannot stand between thousands.
  return !/[.,]\d{3}$/.test(number) || /^0[.,]/.test(number) || /^\d{4,}[.,]/.test(number) ? last : undefined;
}

/** What stands before the fraction of a number in the language of `locale`. */
export function usualDecimalMark(locale: string): DecimalMark {
  const parts = new Intl.NumberFormat(locale, { numberingSystem: 'latn' }).formatToParts(1.5);
  return parts.some(({ type, value }) => type === 'decimal' && value === ',') ? ',' : '.';
}

/** The number itself. */
export function numberOf({ isNegative, digits: number, exponent }: WrittenNumber, decimalMark: DecimalMark): number {
  const whole = decimalMark === '.' ? number.replace(/[^\d.]/g, '') : number.replace(/[^\d,]/g, '').replace(',', '.');
  // Read as one number: a product would be off in its last digit.
  const value = Number(`${whole}e${exponent}`);
  return isNegative ? -value : value;
}

/** The digits of other scripts, and the marks between and beside them, as the ones of ASCII. */
function asciiDigits(text: string): string {
  return text
    .replace(/[\u0660-\u0669\u06F0-\u06F9]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 15))
    .replace(/[\u0966-\u096F]/g, (digit) => String((digit.codePointAt(0) ?? 0) - 0x966))
    .replace(/[\uFF01-\uFF5E]/g, (wide) => String.fromCodePoint((wide.codePointAt(0) ?? 0) - 0xfee0))
    .replaceAll('￥', '¥')
    .replaceAll('￦', '₩')
    .replaceAll('٫', '.')
    .replaceAll('٬', ',')
    .replaceAll('٪', '%')
    .replace(/\p{Bidi_Control}/gu, '');
}
