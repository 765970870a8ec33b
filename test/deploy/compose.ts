import { parse } from 'yaml';
import { readText } from '../support/document.ts';

export type Service = {
  image?: string;
  user?: string;
  privileged?: boolean;
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  mem_limit?: string;
  pids_limit?: number;
  ulimits?: { nofile: number };
  deploy?: { replicas: number };
  container_name?: string;
  stop_grace_period?: string;
  network_mode?: string;
  pid?: string;
  networks?: string[];
  ports?: string[];
  volumes?: string[];
  tmpfs?: string[];
  logging?: { driver: string; options: Record<string, string> };
  command?: string[];
  environment?: Record<string, string>;
};

type Compose = {
  services: Record<'proxy' | 'app' | 'database' | 'redis', Service> & Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
};

/** docker-compose.yml as compose reads it, before it puts the variables in. */
export const compose: Compose = parse(readText('docker-compose.yml'), { merge: true });
