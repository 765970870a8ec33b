/** Tells the other tabs of this browser what has happened in this one. */
export type TabChannel = {
  post(message: unknown): void;
  /** Calls `listener` with what the other tabs post until the returned function is called. */
  listen(listener: (message: unknown) => void): () => void;
  close(): void;
};

/** For where there are no other tabs to tell. */
export const noChannel: TabChannel = { post() {}, listen: () => () => {}, close() {} };

/** The channel `name`, or one without other tabs where the browser has no channels. */
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
