export type TabChannel = {
  post(message: unknown): void;
  listen(listener: (message: unknown) => void): void;
  close(): void;
};

export const noChannel: TabChannel = { post() {}, listen() {}, close() {} };

/** Returns `noChannel` if the browser has no `BroadcastChannel` or denies it, as Firefox does if it blocks all cookies. */
export function createTabChannel(name: string): TabChannel {
  try {
    const channel = new BroadcastChannel(name);
    return {
      post: (message) => channel.postMessage(message),
      listen: (listener) => channel.addEventListener('message', ({ data }) => listener(data)),
      close: () => channel.close(),
    };
  } catch {
    return noChannel;
  }
}
