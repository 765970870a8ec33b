import { doubtful, exponentOf, magnitudePattern } from './magnitudes.ts';

/**
 * A number as a table writes it: its sign, its digits with the marks between them, how many zeros its magnitude adds, and
 * the unit around it.
 */
export type WrittenNumber = { isNegative: boolean; digits: string; exponent: number; unit: string };

export type DecimalMark = '.' | ',';

const currency =
  '(?:[$€£¥₹₽₩₪₺₫฿₴₦]|(?:US|CA|AU|NZ|HK)\\$|(?:USD|EUR|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|AUD|CAD)\\b|Fr\\.)';
const plainUnit = '(?:%|‰|°C?|kg|t|km|m|h|d)';
const suffix = `(?:(${magnitudePattern})?\\s*(${currency})?|(${plainUnit}))`;
const digits = "\\d+(?:[.,'’\\u00A0\\u202F ]\\d+)*";
const written = new RegExp(`^([-−–+]?)\\s*(${currency}?)\\s*([-−–+]?)\\s*(${digits})\\s*${suffix}$`);
/** Without a currency, these letters stay the unit that they may be. */
const unitLetters = ['m', ...Object.keys(doubtful)];

/** Reads one number with its unit; undefined where there is more in the text than that. */
export function readNumber(text: string): WrittenNumber | undefined {
  const inParentheses = /^\((.+)\)$/.exec(text.trim())?.[1];
  const found = written.exec(westernDigits(inParentheses ?? text.trim()));
  if (found === null) return undefined;
  const [, sign = '', before = '', innerSign = '', number = '', magnitude = '', behind = '', plain = ''] = found;
  if (sign !== '' && innerSign !== '') return undefined;
  if (before !== '' && (behind !== '' || plain !== '')) return undefined;
  const isNegative = inParentheses !== undefined || /[-−–]/.test(sign + innerSign);
  const exponent = exponentOf(magnitude, { before, behind });
  if (exponent !== undefined) return { isNegative, digits: number, exponent, unit: before || behind || plain };
  const isUnit = before === '' && behind === '' && unitLetters.includes(magnitude);
  return isUnit ? { isNegative, digits: number, exponent: 0, unit: magnitude } : undefined;
}

/**
 * The numbers of one column in one unit, or undefined where they have several. A letter that all of them have may be their
 * unit. One that only some have is their magnitude. A zero needs neither.
 */
export function inOneUnit(numbers: readonly WrittenNumber[]): readonly WrittenNumber[] | undefined {
  const isBareZero = ({ unit, digits: number }: WrittenNumber) => unit === '' && !/[1-9]/.test(number);
  const units = new Set(numbers.filter((number) => !isBareZero(number)).map(({ unit }) => unit));
  if (units.size <= 1) {
    const [unit = ''] = units;
    return numbers.map((number) => ({ ...number, unit }));
  }
  if ([...units].some((unit) => unit !== '' && doubtful[unit] === undefined)) return undefined;
  return numbers.map((number) => ({ ...number, exponent: doubtful[number.unit] ?? number.exponent, unit: '' }));
}

/** Which mark stands before the fraction, as far as the numbers of a column tell; otherwise `usual`. */
export function decimalMarkOf(numbers: readonly WrittenNumber[], usual: DecimalMark): DecimalMark {
  for (const { digits: number } of numbers) {
    const marks = number.replace(/[^.,]/g, '');
    const last = marks.at(-1);
    if (last !== '.' && last !== ',') continue;
    const other = last === '.' ? ',' : '.';
    // Both marks: the last one is before the fraction. One mark more than once: it is between thousands.
    if (marks.includes(other)) return last;
    if (marks.length > 1) return other;
    // Anything but three digits after it, or a zero before it, and it cannot stand between thousands.
    if (!/[.,]\d{3}$/.test(number) || /^0[.,]/.test(number) || /^\d{4,}[.,]/.test(number)) return last;
  }
  return usual;
}

/** The number itself. */
export function numberOf({ isNegative, digits: number, exponent }: WrittenNumber, decimalMark: DecimalMark): number {
  const whole = decimalMark === '.' ? number.replace(/[^\d.]/g, '') : number.replace(/[^\d,]/g, '').replace(',', '.');
  // Read as one number: a product would be off in its last digit.
  const value = Number(`${whole}e${exponent}`);
  return isNegative ? -value : value;
}

/** Arabic and Persian digits, and the marks between them, as the ones that are read here. */
function westernDigits(text: string): string {
  return text
    .replace(/[\u0660-\u0669\u06F0-\u06F9]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 15))
    .replaceAll('٫', '.')
    .replaceAll('٬', ',')
    .replaceAll('٪', '%');
}
