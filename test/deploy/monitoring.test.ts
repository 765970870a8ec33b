import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { parse } from 'yaml';
import { createMetrics } from '../../server/metrics/metrics.ts';
import { errorCodes } from '../../shared/errors.ts';
import { idleReadings } from '../server/metrics/idle-readings.ts';
import { readDocument, readText } from '../support/document.ts';

type Rule = { record?: string; alert?: string; expr: string; annotations?: Record<string, string> };

const rulesFile = 'docs/deploy/prometheus-rules.yml';
const dashboardFile = 'docs/deploy/grafana-dashboard.json';

const rules: Rule[] = parse(readText(rulesFile)).groups.flatMap(({ rules }: { rules: Rule[] }) => rules);
/** Metrics of Prometheus itself and of the blackbox exporter. */
const ofOthers = ['up', 'probe_success', 'probe_ssl_earliest_cert_expiry'];
const records = rules.flatMap(({ record }) => record ?? []);
const dashboard = JSON.parse(readText(dashboardFile));
const panels: { title: string; type: string; targets?: { expr: string }[]; datasource?: { uid: string } }[] =
  dashboard.panels;

describe('the monitoring files in docs/deploy', () => {
  let series: { name: string; labels: Map<string, string> }[];

  before(async () => {
    const up = { state: 'up', clockAheadSeconds: 0, sizeBytes: 0 } as const;
    const parts = async () => ({ database: up, redis: up });
    const configured = { demoTokensLeft: async () => 1, retentionSucceededSeconds: () => 1 };
    const text = await createMetrics({ ...idleReadings, parts, ...configured }).read();
    series = text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => ({ name: /^[\w:]+/.exec(line)?.[0] ?? '', labels: labelsIn(line) }));
  });

  it('link each alert to its section of the runbook', () => {
    const sections = [...readText('docs/runbook.md').matchAll(/^### (AdvisoryChat\w+)$/gm)].map(([, alert]) => alert);
    expect(rules.flatMap(({ alert }) => alert ?? [])).to.have.members(sections);
    for (const { alert, annotations } of rules) {
      if (alert !== undefined) expect(annotations?.runbook).to.equal(`docs/runbook.md#${alert.toLowerCase()}`);
    }
  });

  it('link the alert for failed turns to a section that covers each of their codes', () => {
    const documented = readDocument('docs/runbook.md').tableUnder('### AdvisoryChatTurnsFail');
    const failures = errorCodes.filter((code) => code === 'INTERNAL' || code.startsWith('UPSTREAM_'));
    expect(documented.map(([code]) => code)).to.include.members(failures.map((code) => `\`${code}\``));
  });

  it('scrape the jobs that the alerts name', () => {
    const { scrape_configs: jobs } = parse(readText('docs/deploy/prometheus.yml'));
    const named = rules.flatMap(({ expr }) => [...expr.matchAll(/job="([^"]+)"/g)].map(([, job]) => job));
    expect(jobs.map(({ job_name: name }: { job_name: string }) => name)).to.have.members([...new Set(named)]);
  });

  it('page someone only for critical alerts, and mail the others', () => {
    const { route, receivers } = parse(readText('docs/deploy/alertmanager.yml'));
    const used = [route, ...route.routes].map(({ receiver }: { receiver: string }) => receiver);
    expect(receivers.map(({ name }: { name: string }) => name)).to.have.members(used);
    for (const [severity, receiver] of [
      ['critical', 'page'],
      ['warning', 'mail'],
      ['info', 'mail'],
    ] as const) {
      const labels = new Map([['severity', severity]]);
      const child = route.routes.find(({ matchers }: { matchers: string[] }) => areMet(matchers, labels));
      expect((child ?? route).receiver, severity).to.equal(receiver);
    }
  });

  it('suppress the alerts that follow from an outage of the whole site, but not the alert about the outage itself', () => {
    const { inhibit_rules: inhibitions } = parse(readText('docs/deploy/alertmanager.yml'));
    const alerts = rules.flatMap(({ alert }) => alert ?? []);
    for (const { source_matchers: sources, target_matchers: targets } of inhibitions) {
      const named = (matchers: string[]) => alerts.filter((alert) => areMet(matchers, new Map([['alertname', alert]])));
      expect(named(sources)).to.deep.equal(['AdvisoryChatAway']);
      expect(named(targets)).to.have.members([
        'AdvisoryChatInstanceAway',
        'AdvisoryChatSiteAway',
        'AdvisoryChatTurnsFail',
        'AdvisoryChatRequestsFail',
      ]);
    }
    expect(inhibitions).not.to.be.empty;
  });

  const expressions = [
    ...rules.map(({ record, alert, expr }) => [`${rulesFile}: ${record ?? alert}`, expr] as const),
    ...panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => [`${dashboardFile}: ${title}`, expr] as const),
    ),
  ];
  for (const [where, expression] of expressions) {
    it(`use only exposed metrics and labels: ${where}`, () => {
      const asked = selectorsIn(expression);
      expect(asked).not.to.be.empty;
      for (const { name, matchers } of asked) {
        if (ofOthers.includes(name) || records.includes(name)) continue;
        const found = series.filter((one) => one.name === name);
        expect(found, name).not.to.be.empty;
        const own = matchers.filter(({ label }) => !['job', 'instance'].includes(label));
        const matching = found.filter(({ labels }) => own.every((matcher) => matches(matcher, labels)));
        expect(matching, `${name} with ${JSON.stringify(own)}`).not.to.be.empty;
      }
    });
  }
});

function labelsIn(line: string): Map<string, string> {
  return new Map([...line.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', value = '']) => [label, value]));
}

type Matcher = { label: string; operator: string; value: string };

function matchersIn(text: string): Matcher[] {
  return [...text.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(([, label = '', operator = '', value = '']) => ({
    label,
    operator,
    value,
  }));
}

function areMet(matchers: readonly string[], labels: Map<string, string>): boolean {
  return matchers.flatMap(matchersIn).every((matcher) => matches(matcher, labels));
}

function selectorsIn(expression: string): { name: string; matchers: Matcher[] }[] {
  const metric = /\b((?:advisory_chat|nodejs|process|probe)[\w:]*|up)\b(?:\{([^}]*)\})?/g;
  return [...expression.matchAll(metric)].map(([, name = '', inBraces = '']) => ({
    name,
    matchers: matchersIn(inBraces),
  }));
}

function matches({ label, operator, value }: Matcher, labels: Map<string, string>): boolean {
  const actual = labels.get(label) ?? '';
  const isMatch = operator.includes('~') ? new RegExp(`^(?:${value})$`).test(actual) : actual === value;
  return operator.startsWith('!') ? !isMatch : isMatch;
}
