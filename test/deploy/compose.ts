import { parse } from 'yaml';
import { readText } from '../support/document.ts';

type Service = {
  image: string;
  ulimits?: { nofile: number };
  stop_grace_period?: string;
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  mem_limit: string;
  tmpfs: string[];
};
type Compose = { services: Record<'proxy' | 'app' | 'migrate' | 'operator' | 'database' | 'redis', Service> };

/** docker-compose.yml as compose reads it, before it puts the variables in. */
export const compose: Compose = parse(readText('docker-compose.yml'), { merge: true });

/** How long stopping takes at most after the grace: the guide's steps 5 and 6. */
export const stoppingSeconds = 20;
