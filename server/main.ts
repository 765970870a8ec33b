import process from 'node:process';

// It asks to reload, and Node would end the process until serve.ts listens for it.
process.on('SIGHUP', () => undefined);

await import('./serve.ts');
