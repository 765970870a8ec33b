import { enableCompileCache } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

// Before anything else is loaded: a start reads what the last one compiled, and takes a tenth less time. Not in the
// directory for temporary files, where others could put something to run.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/advisory-chat', import.meta.url)));

// It asks to reload, and Node would end the process until serve.ts listens for it.
process.on('SIGHUP', () => undefined);

await import('./serve.ts');
