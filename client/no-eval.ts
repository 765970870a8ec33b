import { config } from 'zod/mini';

// zod compiles object schemas with `new Function` where it may; the page's Content-Security-Policy forbids that and would
// report the attempt. Has to run before the first schema is made, so `main.tsx` imports it first.
config({ jitless: true });
