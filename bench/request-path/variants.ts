const room = 'bench/request-path';

/** The product as it is, and with what a library does by itself in the place of one part: the modules to load before it. */
export const variants = {
  product: { label: 'the product', modules: [] },
  request: { label: 'response of undici’s `request`', modules: [`${room}/response-of-request.ts`] },
  fetch: { label: 'response of `fetch`', modules: [`${room}/response-of-fetch.ts`] },
  post: { label: 'the SDK’s `post`', modules: [`${room}/post-of-sdk.ts`] },
  sdkAlone: { label: 'both, the SDK by itself', modules: [`${room}/sdk-alone.ts`] },
} as const;

export type VariantName = keyof typeof variants;
export const variantNames = Object.keys(variants) as VariantName[];
