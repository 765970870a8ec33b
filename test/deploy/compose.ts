import { parse } from 'yaml';
import { readText } from '../support/document.ts';

export type Service = {
  user?: string;
  ulimits?: { nofile: number };
  stop_grace_period?: string;
  networks?: string[];
  ports?: string[];
  volumes?: string[];
  tmpfs?: string[];
  logging?: { driver: string; options: Record<string, string> };
  command?: string[];
  environment?: Record<string, string>;
};

type Compose = {
  'x-confined': Service;
  services: Record<'proxy' | 'app' | 'database' | 'redis', Service> & Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
};

/** docker-compose.yml as compose reads it, before it puts the variables in. */
export const compose: Compose = parse(readText('docker-compose.yml'), { merge: true });
