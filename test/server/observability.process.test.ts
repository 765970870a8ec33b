import { hostname } from 'node:os';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { readText } from '../support/document.ts';
import { eventually } from '../support/eventually.ts';
import { createMigratedDataDirectory } from '../support/migrated-cluster.ts';
import { perSuite } from '../support/per-suite.ts';
import { createScriptedProvider } from '../support/scripted-provider.ts';
import { serveInProcess } from '../support/served-process.ts';
import { post, question } from '../support/test-app.ts';
import { createCollector } from './tracing/collector.ts';

/** Exceeds the timeout of any test, so a process that exits has not waited for it. */
const tenMinutes = '600000';

const { version } = JSON.parse(readText('package.json'));

/** Prints which packages for metrics and traces a process loads. The provider's SDK always loads `@opentelemetry/api`. */
const loadPrinter = `import { registerHooks } from 'node:module';
registerHooks({ resolve(name, context, next) {
  if (/^(@opentelemetry\\/(?!api$)|prom-client)/.test(name)) console.log('loaded ' + name);
  return next(name, context);
} });`;

describe('a process', () => {
  let served: ReturnType<typeof serveInProcess>;

  const data = perSuite(() => createMigratedDataDirectory());
  const provider = perSuite(() => createScriptedProvider());
  const collector = perSuite(() => createCollector());
  afterEach(async () => {
    served.kill('SIGKILL');
    await served.exited;
  });

  function serve(variables: Record<string, string>): Promise<string> {
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(loadPrinter)}`;
    served = serveInProcess({ NODE_OPTIONS, DATA_DIR: data.path, ANTHROPIC_BASE_URL: provider.url, ...variables });
    return served.url;
  }

  const loaded = () => served.output.filter((line) => line.startsWith('loaded '));
  const logged = () =>
    served.output.filter((line) => line.startsWith('{')).map((line): Record<string, unknown> => JSON.parse(line));

  it('loads no packages for metrics and traces unless they are configured', async () => {
    const url = await serve({});
    await (await post(`${url}/api/chat/demo`, question())).text();
    await eventually(() => logged().find(({ path }) => path === '/api/chat/demo'));
    expect(loaded()).to.deep.equal([]);
    expect(served.output.join('\n')).not.to.include('metrics');
  });

  it('names its version and instance in status, metrics, log lines and traces, and sends pending spans on exit', async () => {
    const url = await serve({ METRICS_PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    expect(loaded().join('\n')).to.include('@opentelemetry').and.include('prom-client');
    const { metricsUrl } = JSON.parse(await served.printed(/"metricsUrl"/));
    expect(new URL(metricsUrl).hostname).to.equal('127.0.0.1');
    expect((await fetch(`${url}/metrics`)).status).to.equal(404);
    const response = await post(`${url}/api/chat/demo`, question());
    await response.text();

    const status = await fetch(new URL('/status', metricsUrl));
    const { instance, ...body } = await status.json();
    expect(status.status).to.equal(200);
    expect(instance).to.match(new RegExp(`^${hostname()}/\\d+$`));
    expect(body).to.deep.include({ status: 'up', version });
    expect(body.build).to.match(/^[0-9a-f]{12}$/);
    expect(body.parts).to.have.all.keys('database', 'provider');
    expect(body.parts.database).to.include({ state: 'up' });

    const metrics = await (await fetch(metricsUrl)).text();
    expect(metrics).to.include(`advisory_chat_build_info{version="${version}",build="${body.build}"} 1`);
    expect(metrics).to.include('advisory_chat_part_up{part="database"} 1');
    expect(metrics).to.include('advisory_chat_turns_total{route="demo",ending="complete",code="none"} 1');
    expect(metrics).to.include('advisory_chat_limits_shared{route="live"} 0');

    await eventually(() => logged().find(({ path }) => path === '/api/chat/demo'));
    for (const each of logged()) expect(each).to.include({ instance, version });

    served.kill('SIGTERM');
    expect(await served.exited).to.equal(0);
    const span = collector.spans.find(({ name }) => name === 'POST /api/chat/demo');
    expect(span?.attributes['advisory_chat.request_id']).to.equal(response.headers.get('x-request-id'));
    expect(collector.resource).to.include({ 'service.version': version, 'service.instance.id': instance });
  });

  it('exits before the end of the grace period even if the collector never responds', async () => {
    collector.fallSilent();
    const bodies = collector.bodies.length;
    const url = await serve({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, SHUTDOWN_GRACE_MS: tenMinutes });
    await (await post(`${url}/api/chat/demo`, question())).text();
    served.kill('SIGTERM');
    expect(await served.exited).to.equal(0);
    expect(collector.bodies).to.have.length.above(bodies);
  });
});
