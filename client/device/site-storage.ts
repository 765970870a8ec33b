export type SiteStorage = {
  /** Only Chromium has `usageDetails`. */
  estimate(): Promise<{ usage?: number; quota?: number; usageDetails?: { indexedDB?: number } }>;
  persisted(): Promise<boolean>;
  persist(): Promise<boolean>;
};

export type StorageUsage = {
  /** The bytes of the conversations, or of everything that the page stores; undefined if the browser does not report it. */
  usedBytes: number | undefined;
  quotaBytes: number | undefined;
  /** Whether the browser keeps the data even under storage pressure. */
  isPersistent: boolean;
};

const unknownSiteStorage: SiteStorage = {
  estimate: async () => ({}),
  persisted: async () => false,
  persist: async () => false,
};

/** Returns `navigator.storage`, which is absent on a page served over plain HTTP. */
export function browserSiteStorage(): SiteStorage {
  return navigator.storage ?? unknownSiteStorage;
}

/** Never rejects. */
export async function readUsage(siteStorage: SiteStorage): Promise<StorageUsage> {
  const { usage, quota, usageDetails }: Awaited<ReturnType<SiteStorage['estimate']>> = await siteStorage
    .estimate()
    .catch(() => ({}));
  const isPersistent = await siteStorage.persisted().catch(() => false);
  // The whole includes the cached code of the page, several megabytes that no deletion of conversations frees.
  return { usedBytes: usageDetails?.indexedDB ?? usage, quotaBytes: quota, isPersistent };
}

export function createPersistenceRequester(siteStorage: SiteStorage): () => void {
  let isRequested = false;
  return () => {
    if (isRequested) return;
    isRequested = true;
    siteStorage.persist().catch(() => {
      // Without the permission, the browser may delete the data under storage pressure.
    });
  };
}

type ByteUnit = 'kilobyte' | 'megabyte' | 'gigabyte';

/** The units are decimal, as `Intl` defines them. */
export function toByteUnit(bytes: number): { value: number; unit: ByteUnit } {
  if (bytes < 999_500) return { value: bytes / 1e3, unit: 'kilobyte' };
  return bytes < 999_500_000 ? { value: bytes / 1e6, unit: 'megabyte' } : { value: bytes / 1e9, unit: 'gigabyte' };
}
