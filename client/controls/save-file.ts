type SavedFile = { name: string; type: string; text: string };

/** Hands a text to the browser as a file to keep, under `name`. */
export function saveFile({ name, type, text }: SavedFile): void {
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

/** Lets the browser download `content` as a file called `name`. */
export function saveBlob(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken the file when it comes to this.
  setTimeout(() => URL.revokeObjectURL(address));
}

const maxCharacters = 60;

/** `title` as the name of a file, which every system takes: no signs that stand for something in a path. */
export function fileName(title: string, ending: string): string {
  const name = title
    .replace(/[\p{Cc}\p{Cf}\\/:*?"<>|]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+/, '');
  return `${
    [...name]
      .slice(0, maxCharacters)
      .join('')
      .replace(/[. ]+$/, '') || 'conversation'
  }.${ending}`;
}
