/** What the browser says of the room on the device; a part that it does not know is absent. */
export type DeviceRoom = {
  estimate(): Promise<{ usage?: number; quota?: number }>;
  persisted(): Promise<boolean>;
  /** Asks the browser to keep everything even where the device runs short of room. It may ask the person. */
  persist(): Promise<boolean>;
};

export type RoomUsed = {
  /** What the whole site uses and may use on this device; undefined where the browser does not say. */
  usedBytes: number | undefined;
  quotaBytes: number | undefined;
  /** Whether the browser keeps it even where the device runs short of room. */
  isPersistent: boolean;
};

/** For where the browser says nothing. */
export const unknownRoom: DeviceRoom = {
  estimate: async () => ({}),
  persisted: async () => false,
  persist: async () => false,
};

/** How much is used of the room on the device, as far as the browser says. Never rejects. */
export async function usageOf(room: DeviceRoom): Promise<RoomUsed> {
  const { usage, quota } = await room.estimate().catch(() => ({ usage: undefined, quota: undefined }));
  const isPersistent = await room.persisted().catch(() => false);
  return { usedBytes: usage, quotaBytes: quota, isPersistent };
}

/** Asks the browser, the first time that it is called, to keep everything even where the device runs short of room. */
export function createStayRequest(room: DeviceRoom): () => void {
  let isAsked = false;

  async function ask(): Promise<void> {
    if (!(await room.persisted())) await room.persist();
  }

  return () => {
    if (isAsked) return;
    isAsked = true;
    ask().catch(() => {
      // It may still be kept.
    });
  };
}
