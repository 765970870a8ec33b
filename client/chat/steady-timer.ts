// The whole of a worker: answers { id, milliseconds } with the id, that much later.
addEventListener('message', ({ data: { id, milliseconds } }) => {
  setTimeout(() => postMessage(id), milliseconds);
});
