type Exponents = Readonly<Record<string, number>>;

/** Magnitudes that mean the same in every table. "billion" is not one of them: it counts differently in other languages. */
const known: Exponents = {
  ...{ k: 3, 'Tsd.': 3, thousand: 3 },
  ...{ mln: 6, mio: 6, Mio: 6, 'mio.': 6, 'Mio.': 6, million: 6, millions: 6, Million: 6, Millionen: 6 },
  ...{ millón: 6, millones: 6 },
  ...{ bn: 9, mrd: 9, Mrd: 9, 'mrd.': 9, 'Mrd.': 9, Md: 9, Mds: 9, milliard: 9, milliards: 9 },
  ...{ Milliarde: 9, Milliarden: 9 },
};

/** Without a currency they can be kelvins, or bytes. */
const knownWithCurrency: Exponents = { K: 3, M: 6, B: 9 };

/** As English has them, behind an amount with its currency in front. Elsewhere `T€` is a thousand, and `m` may be metres. */
const knownAfterCurrency: Exponents = { m: 6, mn: 6, b: 9, T: 12, tn: 12 };

const all = Object.keys({ ...known, ...knownWithCurrency, ...knownAfterCurrency });

/** A magnitude, for a regular expression. The longest is tried first. */
export const magnitudePattern = all
  .toSorted((one, other) => other.length - one.length)
  .map((magnitude) => magnitude.replace('.', '\\.'))
  .join('|');

/** How many zeros `magnitude` stands for; undefined where nobody can say it. */
export function exponentOf(magnitude: string, currency: { before: string; behind: string }): number | undefined {
  if (magnitude === '') return 0;
  if (currency.before !== '' && knownAfterCurrency[magnitude] !== undefined) return knownAfterCurrency[magnitude];
  const hasCurrency = currency.before !== '' || currency.behind !== '';
  return known[magnitude] ?? (hasCurrency ? knownWithCurrency[magnitude] : undefined);
}

/** Letters that are a unit on their own, and a magnitude beside other magnitudes. */
export const doubtful: Exponents = { K: 3, M: 6 };
