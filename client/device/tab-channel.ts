export type TabChannel = {
  post(message: unknown): void;
  /** Returns an unsubscribe function. */
  listen(listener: (message: unknown) => void): () => void;
  close(): void;
};

export const noChannel: TabChannel = { post() {}, listen: () => () => {}, close() {} };

/** Returns `noChannel` if the browser has no `BroadcastChannel`. */
export function createTabChannel(name: string): TabChannel {
  if (!('BroadcastChannel' in globalThis)) return noChannel;
  const channel = new BroadcastChannel(name);
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
