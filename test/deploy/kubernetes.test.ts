import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../server/config/config.ts';
import { environmentSchema, secretNames } from '../../server/config/environment.ts';
import { readText } from '../support/document.ts';
import { ofSuite } from '../support/of-suite.ts';
import { root, temporaryDirectory } from '../support/served-process.ts';
import { stoppingSeconds } from './compose.ts';

// biome-ignore lint/suspicious/noExplicitAny: each kind of object has a form of its own, which a cluster checks.
type Manifest = any;

const read = (name: string): Manifest[] =>
  parseAllDocuments(readText(`docs/deploy/kubernetes/${name}`), { merge: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });
const manifests = read('advisory-chat.yaml');
const [migration] = read('migration.yaml');
const ofKind = (kind: string): Manifest => manifests.find((manifest) => manifest.kind === kind);

const deployment = ofKind('Deployment');
const pod = deployment.spec.template.spec;
const [container] = pod.containers;
const migrationPod = migration.spec.template.spec;
const variables: Record<string, string> = ofKind('ConfigMap').data;
const fileVariables = secretNames.map((name) => `${name}_FILE`);

/** The address of each kind of secret, long enough to be taken. */
const secrets: Record<string, string> = {
  DATABASE_URL: 'postgresql://serving@database/advisory_chat',
  DATABASE_MIGRATION_URL: 'postgresql://owner@database/advisory_chat',
  REDIS_URL: 'redis://redis:6379',
};

describe('the manifests for Kubernetes', () => {
  const files = ofSuite(() => temporaryDirectory());

  /** The variables of a container, with its files where this machine has them. */
  async function here(given: Record<string, string>): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const [name, value] of Object.entries(given)) {
      found[name] = value;
      if (!name.endsWith('_FILE')) continue;
      found[name] = join(files.path, value);
      await mkdir(dirname(found[name]), { recursive: true });
      await writeFile(found[name], secrets[name.replace('_FILE', '')] ?? 'x'.repeat(32));
    }
    return found;
  }

  it('give the service what production asks for, and no variable that it does not know', async () => {
    const known = [...Object.keys(environmentSchema.shape), ...fileVariables];
    expect(known).to.include.members(Object.keys(variables));
    const config = loadConfig({ NODE_ENV: 'production', ...(await here(variables)) });
    expect(config).to.deep.include({ migrateAtStart: false, trustProxy: true });
    expect(container.envFrom).to.deep.equal([{ configMapRef: { name: ofKind('ConfigMap').metadata.name } }]);
  });

  it('give each secret in a file of a volume, and the address of the owner to the migration alone', async () => {
    const [job] = migrationPod.containers;
    const ofJob = Object.fromEntries(job.env.map(({ name, value }: Manifest) => [name, value]));
    for (const [given, { volumes }, { volumeMounts }] of [
      [variables, pod, container],
      [ofJob, migrationPod, job],
    ]) {
      for (const [name, path] of Object.entries<string>(given)) {
        if (!name.endsWith('_FILE')) expect(secretNames).not.to.include(name);
        else {
          const mount = volumeMounts.find(({ mountPath }: Manifest) => path.startsWith(`${mountPath}/`));
          expect(mount.readOnly, name).to.equal(true);
          const volume = volumes.find((volume: Manifest) => volume.name === mount.name);
          expect(volume.secret.secretName).to.equal(mount.mountPath.split('/').at(-1));
          expect(path.split('/').at(-1)).to.equal(name.replace('_FILE', ''));
        }
      }
    }
    expect(Object.keys(variables)).not.to.include('DATABASE_MIGRATION_URL_FILE');
    expect(Object.keys(ofJob)).to.have.members(['DATABASE_URL_FILE', 'DATABASE_MIGRATION_URL_FILE']);
  });

  it('run the image of this version as it is, and migrate with what is in it', () => {
    const { version } = JSON.parse(readText('package.json'));
    const [job] = migrationPod.containers;
    for (const { image } of [container, job]) expect(image).to.match(new RegExp(`/advisory-chat:${version}$`));
    expect(existsSync(join(root, job.command[1]))).to.equal(true);
  });

  it('leave an instance that stops the time that it takes, until nobody sends it anything and the last reply is over', () => {
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    const delaySeconds = Number(variables.SHUTDOWN_DELAY_MS) / 1000;
    expect(delaySeconds).to.be.above(periodSeconds * failureThreshold);
    const most = delaySeconds + Number(variables.SHUTDOWN_GRACE_MS) / 1000 + stoppingSeconds;
    expect(pod.terminationGracePeriodSeconds).to.be.above(most);
  });
});
