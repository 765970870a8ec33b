/** What the browser says of the room on the device; a part that it does not know is absent. */
export type DeviceRoom = {
  estimate(): Promise<{ usage?: number; quota?: number }>;
  persisted(): Promise<boolean>;
  /** Asks the browser to keep everything even where the device runs short of room. It may ask the person. */
  persist(): Promise<boolean>;
};

/** For where the browser says nothing. */
export const unknownRoom: DeviceRoom = {
  estimate: async () => ({}),
  persisted: async () => false,
  persist: async () => false,
};
