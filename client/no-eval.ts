import { config } from 'zod/mini';

// zod compiles object schemas with `new Function` if it can; the Content-Security-Policy forbids that and would report the
// attempt. `main.tsx` imports this file first, because it must run before the first schema is created.
config({ jitless: true });
