type SavedFile = { name: string; type: string; text: string };

export function saveFile({ name, type, text }: SavedFile): void {
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

export function saveBlob(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has started the download by the next task.
  setTimeout(() => URL.revokeObjectURL(address));
}

const maxNameCharacters = 60;

/** Makes a file name from `title` without characters that any system reserves in paths. */
export function fileName(title: string, extension: string): string {
  const name = title
    .replace(/[\p{Cc}\p{Cf}\\/:*?"<>|]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+/, '');
  const start = [...name].slice(0, maxNameCharacters).join('');
  // A shortened name ends with a complete word, if it has several words.
  const words = start.length < name.length ? start.replace(/(?<=\S)\s+\S*$/, '') : start;
  return `${words.replace(/[. ]+$/, '') || 'conversation'}.${extension}`;
}
