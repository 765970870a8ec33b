import type { Request } from 'express';
import { bodyShareBytes } from '../../shared/body-limits.ts';
import type { CapacityLimit } from './capacity.ts';
import { clientAddress } from './client-address.ts';
import type { ContextResponse } from './request-context.ts';

export const productionMemory = {
  /** For all bodies that are being received, after decompression. */
  memoryBytes: 256 * 1024 * 1024,
  /** Of these, for bodies of demo chat, so that visitors cannot close live chat. */
  demoBytes: 128 * 1024 * 1024,
  /** Of these, for the bodies of one user, and for those of one address, so that a few clients cannot close chat for the others. */
  shareBytes: bodyShareBytes,
};

type Account = { key: string; limit: CapacityLimit; maxBytes: number };

/** Limits the memory for bodies that are being received, in total and by who sends them. */
export function createBodyMemory({ memoryBytes, demoBytes, shareBytes }: typeof productionMemory) {
  const usedBytes = new Map<string, number>();
  const total: Account = { key: 'total', limit: 'bodies', maxBytes: memoryBytes };
  const ofDemo: Account = { key: 'demo', limit: 'bodies-demo', maxBytes: demoBytes };
  const usedBy = ({ key }: Account) => usedBytes.get(key) ?? 0;

  return {
    /** Opens a loan for the body of a request. The narrowest limit comes first, because its name helps an operator most. */
    open(request: Request, { locals }: ContextResponse, { isDemo }: { isDemo: boolean }) {
      const { user } = locals.context;
      const accounts: Account[] = [
        { key: `address ${clientAddress(request)}`, limit: 'bodies-address', maxBytes: shareBytes },
        ...(user ? [{ key: `user ${user.id}`, limit: 'bodies-user', maxBytes: shareBytes } as const] : []),
        ...(isDemo ? [ofDemo] : []),
        total,
      ];
      let heldBytes = 0;

      const loan = {
        /** Returns the limit that `bytes` instead of those held now would exceed. */
        exceededBy(bytes: number): CapacityLimit | undefined {
          const addedBytes = bytes - heldBytes;
          return accounts.find((account) => usedBy(account) + addedBytes > account.maxBytes)?.limit;
        },

        resize(bytes: number): void {
          for (const account of accounts) {
            const used = usedBy(account) + bytes - heldBytes;
            if (used > 0) usedBytes.set(account.key, used);
            else usedBytes.delete(account.key);
          }
          heldBytes = bytes;
        },
      };
      return loan;
    },

    get usedBytes(): number {
      return usedBy(total);
    },
  };
}
