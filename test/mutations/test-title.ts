/**
 * Whether a test file's text, `source`, has a test whose whole title may be `title`: one of its `it` ends it, with
 * anything in the place of what is filled in, or a text in quotes does, as where the titles are in a table.
 */
export function holdsLastPart(source: string, title: string): boolean {
  const endsTitle = (pattern: string) => new RegExp(`(?:^| )${pattern}$`, 's').test(title);
  const tests = source.matchAll(/\bit\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`)/g);
  for (const [, single, double, template] of tests) {
    if (template === undefined ? endsTitle(escaped(plain(single ?? double ?? ''))) : endsTitle(filled(template))) {
      return true;
    }
  }
  const words = title.split(' ');
  return words.some((_, index) => {
    const part = words.slice(index).join(' ');
    return [`'${part.replaceAll("'", "\\'")}'`, `"${part}"`, `\`${part}\``].some((quoted) => source.includes(quoted));
  });
}

const plain = (literal: string) => literal.replaceAll(/\\(.)/g, '$1');
const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** A pattern for what a template literal may come to. */
const filled = (template: string) =>
  template
    .split(/\$\{[^}]*\}/)
    .map((part) => escaped(plain(part)))
    .join('.*');
