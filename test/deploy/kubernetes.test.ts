import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../server/config/config.ts';
import { environmentSchema, secretNames } from '../../server/config/environment.ts';
import { readText } from '../support/document.ts';
import { perSuite } from '../support/per-suite.ts';
import { root, temporaryDirectory } from '../support/served-process.ts';
import { stoppingSeconds } from './compose.ts';

// biome-ignore lint/suspicious/noExplicitAny: each kind of object has its own schema, which the cluster validates.
type Manifest = any;

const read = (name: string): Manifest[] =>
  parseAllDocuments(readText(`docs/deploy/kubernetes/${name}`), { merge: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });
const manifests = read('advisory-chat.yaml');
const [migration] = read('migration.yaml');
const [operator] = read('operator.yaml');
const ofKind = (kind: string): Manifest => manifests.find((manifest) => manifest.kind === kind);

const deployment = ofKind('Deployment');
const pod = deployment.spec.template.spec;
const [container] = pod.containers;
const migrationPod = migration.spec.template.spec;
const operatorPod = operator.spec.template.spec;
const variables: Record<string, string> = ofKind('ConfigMap').data;
const fileVariables = secretNames.map((name) => `${name}_FILE`);

const secrets: Record<string, string> = {
  DATABASE_URL: 'postgresql://serving@database/advisory_chat',
  DATABASE_MIGRATION_URL: 'postgresql://owner@database/advisory_chat',
  REDIS_URL: 'redis://redis:6379',
};

describe('the manifests for Kubernetes', () => {
  const files = perSuite(() => temporaryDirectory());

  /** Returns the variables of a container, with mounted files replaced by local ones. */
  async function withLocalFiles(mounted: Record<string, string>): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const [name, value] of Object.entries(mounted)) {
      found[name] = value;
      if (!name.endsWith('_FILE')) continue;
      found[name] = join(files.path, value);
      await mkdir(dirname(found[name]), { recursive: true });
      await writeFile(found[name], secrets[name.replace('_FILE', '')] ?? 'x'.repeat(32));
    }
    return found;
  }

  it('set every variable that production requires, and no unknown variable', async () => {
    const known = [...Object.keys(environmentSchema.shape), ...fileVariables];
    expect(known).to.include.members(Object.keys(variables));
    const config = loadConfig({ NODE_ENV: 'production', ...(await withLocalFiles(variables)) });
    expect(config).to.deep.include({ migrateAtStart: false, trustProxy: true });
    expect(container.envFrom).to.deep.equal([{ configMapRef: { name: ofKind('ConfigMap').metadata.name } }]);
  });

  it("mount each secret as a file, and the database owner's login only in the migration and operator pods", async () => {
    const ownFiles = (container: Manifest): Record<string, string> =>
      Object.fromEntries(container.env.flatMap(({ name, value }: Manifest) => (value ? [[name, value]] : [])));
    const [job] = migrationPod.containers;
    const [shell] = operatorPod.containers;
    for (const [given, { volumes }, { volumeMounts }] of [
      [variables, pod, container],
      [ownFiles(job), migrationPod, job],
      [ownFiles(shell), operatorPod, shell],
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
    for (const each of [job, shell]) {
      expect(Object.keys(ownFiles(each))).to.have.members(['DATABASE_URL_FILE', 'DATABASE_MIGRATION_URL_FILE']);
    }
  });

  it('give the operator pod the settings that the commands read', () => {
    const [{ env }] = operatorPod.containers;
    const shared = env.filter(({ valueFrom }: Manifest) => valueFrom !== undefined);
    expect(Object.keys(environmentSchema.shape)).to.include.members(shared.map(({ name }: Manifest) => name));
    for (const { name, valueFrom } of shared) {
      expect(valueFrom.configMapKeyRef).to.include({ name: ofKind('ConfigMap').metadata.name, key: name });
      expect(name in variables || valueFrom.configMapKeyRef.optional, name).to.equal(true);
    }
    expect(shared.map(({ name }: Manifest) => name)).to.include('PUBLIC_URL');
  });

  it('select only the pods of the deployment in each service, with a port that the container exposes', () => {
    const services = manifests.filter(({ kind }) => kind === 'Service');
    expect(services).not.to.be.empty;
    for (const { spec } of services) {
      expect(deployment.spec.template.metadata.labels).to.include(spec.selector);
      expect(operator.spec.template.metadata.labels).not.to.include(spec.selector);
      for (const { port, targetPort } of spec.ports) {
        const { containerPort } = container.ports.find(({ name }: Manifest) => name === targetPort);
        expect(port).to.equal(containerPort);
      }
    }
  });

  it('define the services that prometheus.yml names, with the metrics port', () => {
    const text = readText('docs/deploy/prometheus.yml');
    const [, name] = /names: \[([\w-]+)\.default\.svc/.exec(text) ?? [];
    const service = manifests.find(({ kind, metadata }) => kind === 'Service' && metadata.name === name);
    expect(String(service.spec.ports[0].port)).to.equal(variables.METRICS_PORT);
    expect(text).to.include(`port: ${variables.METRICS_PORT}`);
    expect(service.spec.publishNotReadyAddresses, 'instances that are not ready').to.equal(true);
  });

  it('run and migrate with the image of this version', () => {
    const { version } = JSON.parse(readText('package.json'));
    const [job] = migrationPod.containers;
    const [shell] = operatorPod.containers;
    for (const { image } of [container, job, shell]) expect(image).to.match(new RegExp(`/advisory-chat:${version}$`));
    expect(existsSync(join(root, job.command[1]))).to.equal(true);
  });

  it('remove an instance from the load balancers if it is not ready, but restart it only if it does not serve', () => {
    const { readinessProbe, startupProbe, livenessProbe, ports } = container;
    expect(readinessProbe.httpGet.path).to.equal('/readyz');
    for (const { httpGet } of [startupProbe, livenessProbe]) expect(httpGet.path).to.equal('/healthz');
    for (const { httpGet } of [readinessProbe, startupProbe, livenessProbe]) {
      expect(ports.find(({ name }: Manifest) => name === httpGet.port).containerPort).to.equal(3000);
    }
  });

  it('let only the proxy reach the service, and only the monitoring its metrics', () => {
    const { podSelector, policyTypes, ingress } = ofKind('NetworkPolicy').spec;
    expect(deployment.spec.template.metadata.labels).to.deep.equal(podSelector.matchLabels);
    expect(policyTypes).to.have.members(['Ingress', 'Egress']);
    const admitted = ingress.map(({ from: [peer], ports: [{ port }] }: Manifest) => [
      peer.namespaceSelector.matchLabels['kubernetes.io/metadata.name'],
      port,
    ]);
    expect(admitted).to.have.deep.members([
      ['proxy', 'http'],
      ['monitoring', 'metrics'],
    ]);
  });

  it('restart a hung instance within 70 seconds', () => {
    const { periodSeconds, timeoutSeconds, failureThreshold, terminationGracePeriodSeconds } = container.livenessProbe;
    expect(periodSeconds * failureThreshold + timeoutSeconds + terminationGracePeriodSeconds).to.be.at.most(70);
  });

  it('give a stopping instance enough time for the load balancers and for its last reply', () => {
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    const delaySeconds = Number(variables.SHUTDOWN_DELAY_MS) / 1000;
    expect(delaySeconds).to.be.above(periodSeconds * failureThreshold);
    const maxStopSeconds = delaySeconds + Number(variables.SHUTDOWN_GRACE_MS) / 1000 + stoppingSeconds;
    expect(pod.terminationGracePeriodSeconds).to.be.above(maxStopSeconds);
  });

  it("fit into PostgreSQL's default of 100 connections while an update runs both releases", () => {
    const reserved = 3;
    const operator = 5;
    const instances = 2 * ofKind('HorizontalPodAutoscaler').spec.maxReplicas;
    expect(instances * Number(variables.DATABASE_POOL) + operator + reserved).to.be.at.most(100);
  });

  it('limit the space for temporary files', () => {
    const temporary = pod.volumes.filter(({ emptyDir }: Manifest) => emptyDir !== undefined);
    expect(temporary).not.to.be.empty;
    for (const { emptyDir } of temporary) expect(emptyDir.sizeLimit).to.match(/^\d+Mi$/);
  });
});
