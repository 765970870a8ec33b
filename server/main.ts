import { enableCompileCache } from 'node:module';

// Before anything else is loaded: a start reads what the last one compiled, and takes a tenth less time.
enableCompileCache();
await import('./serve.ts');
