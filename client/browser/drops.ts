/** Prevents drops of files, and all drops outside of fields: for a dropped file or link, the browser would leave the page. */
export function restrictDrops(): void {
  const onDrag = (event: DragEvent) => {
    const { target, dataTransfer } = event;
    const areFiles = hasFiles(dataTransfer);
    if (!areFiles && target instanceof Element && target.matches(':read-write')) return;
    event.preventDefault();
    // The `drop` event of files still fires, so that the page can say why it does not take them.
    if (dataTransfer && !areFiles) dataTransfer.dropEffect = 'none';
  };
  window.addEventListener('dragover', onDrag);
  window.addEventListener('drop', onDrag);
}

export function hasFiles(data: DataTransfer | null): boolean {
  return data?.types.includes('Files') ?? false;
}
