// What starts the service, on any Node. Where it is known to be new enough, and nothing is to be read from .env, main.ts
// can be started by itself.
import './preload.js';

await import('./main.ts');
