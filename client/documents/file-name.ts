const mostCharacters = 60;

/** `title` as the name of a file, which every system takes: no signs that stand for something in a path. */
export function fileName(title: string, ending: string): string {
  const name = title
    .replace(/[\p{Cc}\p{Cf}\\/:*?"<>|]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+/, '');
  return `${
    [...name]
      .slice(0, mostCharacters)
      .join('')
      .replace(/[. ]+$/, '') || 'conversation'
  }.${ending}`;
}
