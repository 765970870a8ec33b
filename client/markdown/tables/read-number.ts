/** `digits` includes the separators; `exponent` is the power of ten of a magnitude such as "million". */
export type ParsedNumber = {
  isNegative: boolean;
  digits: string;
  exponent: number;
  unit: string;
  isUnitFirst: boolean;
  isUnitSpaced: boolean;
};

export type DecimalMark = '.' | ',';

type Exponents = Readonly<Record<string, number | undefined>>;

/** Magnitudes with the same meaning in every language. “Billion” is not one of them. */
const wordExponents: Exponents = {
  ...{ tsd: 3, thousand: 3, mln: 6, mio: 6, million: 6, millions: 6, millionen: 6, millón: 6, millones: 6 },
  ...{ bn: 9, mrd: 9, md: 9, mds: 9, milliard: 9, milliards: 9, milliarde: 9, milliarden: 9 },
  ...{ lakh: 5, lakhs: 5, crore: 7, crores: 7 },
};
/** Magnitudes beside a currency or directly after the digits: `300 K` is a temperature. */
const letterExponents: Exponents = { k: 3, K: 3, M: 6, B: 9 };
/** Magnitudes after a leading currency, as in English. Otherwise `T€` means a thousand, and `m` means meters. */
const lettersAfterCurrency: Exponents = { m: 6, mn: 6, b: 9, T: 12, tn: 12 };
const lettersAfterRupees: Exponents = { L: 5, Cr: 7, cr: 7 };
/** Chinese, Japanese and Korean magnitudes. Two of them multiply: 千万 is a thousand times ten thousand. */
const eastAsianExponents: Exponents = {
  ...{ 十: 1, 百: 2, 千: 3, 万: 4, 萬: 4, 億: 8, 亿: 8, 兆: 12 },
  ...{ 십: 1, 백: 2, 천: 3, 만: 4, 억: 8, 조: 12 },
};

/** Bounds the time that the patterns take. Numbers that people write are shorter. */
const maxNumberCharacters = 60;

const currency =
  '(?:[$€£¥₹₨₽₩₪₺₫฿₴₦]|(?:US|CA|AU|NZ|HK)\\$|(?:USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|AUD|CAD)\\b|Rs\\b\\.?|Fr\\.)';
const digits = "(?<digits>\\d+(?:[.,'’ ]\\d+)*)";
const longestFirst = [...Object.keys(wordExponents), 'mn', 'tn', 'cr', 'k', 'm', 'b', 't', 'l'].toSorted(
  (a, b) => b.length - a.length,
);
const start = `^(?<first>[-−–+]?) ?(?<before>${currency})? ?(?<second>[-−–+]?) ?${digits}(?<space> ?)`;
const amount = new RegExp(`${start}(?:(?<magnitude>${longestFirst.join('|')})\\.?)? ?(?<behind>${currency})?$`, 'iu');
const eastAsianAmount = new RegExp(
  `${start}(?<eastAsian>[十百千십백천]?[万萬億亿兆만억조]|[千천]) ?` +
    `(?<behind>${currency}|[\\p{Script=Han}\\p{Script=Hangul}\\p{Script=Katakana}ー]{1,6})?$`,
  'iu',
);
/** Currency signs and single words can be units, and so can `%`, `‰`, `×` and `°`. */
const unit = '[%‰×]|°\\p{L}?|\\p{L}{0,3}\\p{Sc}(?:/\\p{L}{1,9})?|[\\p{L}µ][\\p{L}.²³]{0,14}(?:/\\p{L}{1,9})?';
const measure = new RegExp(`^(?<first>[-−–+]?) ?${digits}(?<space> ?)(?<behind>${unit})$`, 'u');

export function readNumber(text: string): ParsedNumber | undefined {
  const trimmed = text.trim();
  if (trimmed.length > maxNumberCharacters || !/\p{Nd}/u.test(trimmed)) return undefined;
  const whole = withExpectedCharacters(trimmed).replace(/\s+/g, ' ');
  const inParentheses = /^\((.+)\)$/.exec(whole)?.[1]?.trim();
  const plain = inParentheses ?? whole;
  const found = [amount, eastAsianAmount, measure].map((pattern) => pattern.exec(plain)?.groups).find(isClear);
  if (found === undefined) return undefined;
  const { first = '', second = '', before = '', digits: number = '', behind = '', space = '' } = found;
  const isNegative = inParentheses !== undefined || /[-−–]/.test(first + second);
  return {
    isNegative,
    digits: number,
    exponent: exponentOf(found) ?? 0,
    unit: before || behind,
    isUnitFirst: before !== '',
    isUnitSpaced: space !== '',
  };
}

type Groups = Readonly<Record<string, string | undefined>>;

/** A repeated mark that does not separate thousands, as in a date (01.02.2026) or a version (1.4.2). */
const brokenGroups = /([.,'’ ])\d+\1(?!\d{3}(?!\d))\d+(?!\1|\d)/;

function isClear(groups: Groups | undefined): groups is Groups {
  if (groups === undefined || exponentOf(groups) === undefined) return false;
  if (brokenGroups.test(groups.digits ?? '')) return false;
  return !(groups.first && groups.second) && !(groups.before && groups.behind);
}

function exponentOf(groups: Groups): number | undefined {
  const { magnitude, before, behind, space } = groups;
  if (groups.eastAsian !== undefined) return eastAsianExponent(groups.eastAsian, behind);
  if (magnitude === undefined) return 0;
  const isInRupees = /^(?:₹|₨|INR|Rs)/i.test(before || behind || '');
  const byLetter = before || behind || space === '' ? letterExponents[magnitude] : undefined;
  return (
    wordExponents[magnitude.toLowerCase()] ??
    (isInRupees ? lettersAfterRupees[magnitude] : undefined) ??
    (before ? lettersAfterCurrency[magnitude] : undefined) ??
    byLetter
  );
}

function eastAsianExponent(magnitude: string, behind: string | undefined): number | undefined {
  // 兆 is 10¹² in Japanese, but can be 10⁶ in Chinese.
  if (magnitude.includes('兆') && !behind?.includes('円')) return undefined;
  return [...magnitude].reduce((sum, sign) => sum + (eastAsianExponents[sign] ?? 0), 0);
}

/** Returns the decimal mark of a number, or undefined if it has no mark or an ambiguous one, as in `1,000`. */
export function decimalMarkIn({ digits: number }: ParsedNumber): DecimalMark | undefined {
  const marks = number.replace(/[^.,]/g, '');
  const last = marks.at(-1);
  if (last !== '.' && last !== ',') return undefined;
  const other = last === '.' ? ',' : '.';
  // The last of two different marks is the decimal mark. A repeated mark separates thousands.
  if (marks.includes(other) || /['’ ]/.test(number)) return last;
  if (marks.length > 1) return other;
  // A thousands separator has three digits after it, and before it at most three, which do not start with a zero.
  return !/[.,]\d{3}$/.test(number) || /^0[.,]/.test(number) || /^\d{4,}[.,]/.test(number) ? last : undefined;
}

/** Returns whether a number, such as `1,000`, could have either mark as its decimal mark. */
export function isAmbiguous(number: ParsedNumber): boolean {
  return /[.,]/.test(number.digits) && decimalMarkIn(number) === undefined;
}

/**
 * Returns the decimal mark of a column in which ambiguous numbers, such as `1,240`, are beside whole ones, such as `95`:
 * decimals would have the same number of digits in each cell, so the mark in the ambiguous numbers separates thousands.
 * Returns undefined for other columns, and with magnitudes such as `k`.
 */
export function inferDecimalMark(numbers: readonly ParsedNumber[]): DecimalMark | undefined {
  if (numbers.some(({ exponent }) => exponent !== 0)) return undefined;
  const ambiguous = numbers.filter(isAmbiguous);
  const hasWhole = numbers.some(({ digits: number }) => !/[.,]/.test(number));
  const separators = new Set(ambiguous.map(({ digits: number }) => number.replace(/[^.,]/g, '')));
  if (!hasWhole || separators.size !== 1 || numbers.some(decimalMarkIn)) return undefined;
  return separators.has(',') ? '.' : ',';
}

export function decimalMarkOf(locale: string): DecimalMark {
  const parts = new Intl.NumberFormat(locale, { numberingSystem: 'latn' }).formatToParts(1.5);
  return parts.some(({ type, value }) => type === 'decimal' && value === ',') ? ',' : '.';
}

export function numberOf({ isNegative, digits: number, exponent }: ParsedNumber, decimalMark: DecimalMark): number {
  const whole = decimalMark === '.' ? number.replace(/[^\d.]/g, '') : number.replace(/[^\d,]/g, '').replace(',', '.');
  // The number is parsed with its exponent, because a multiplication would round.
  const value = Number(`${whole}e${exponent}`);
  return isNegative ? -value : value;
}

/** Replaces Arabic, Devanagari and full-width characters with those in the patterns, and removes direction marks. */
function withExpectedCharacters(text: string): string {
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
