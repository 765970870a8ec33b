export type TabChannel = {
  post(message: unknown): void;
  /** Returns an unsubscribe function. */
  listen(listener: (message: unknown) => void): () => void;
  close(): void;
};

export const noChannel: TabChannel = { post() {}, listen: () => () => {}, close() {} };

/** Returns `noChannel` if the browser has no `BroadcastChannel` or denies it, as Firefox does if it blocks all cookies. */
export function createTabChannel(name: string): TabChannel {
  const channel = openChannel(name);
  if (channel === undefined) return noChannel;
  return {
    post: (message) => channel.postMessage(message),
    listen(listener) {
      const take = ({ data }: MessageEvent<unknown>) => listener(data);
      channel.addEventListener('message', take);
      return () => channel.removeEventListener('message', take);
    },
    close: () => channel.close(),
  };
}

function openChannel(name: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(name);
  } catch {
    return undefined;
  }
}
