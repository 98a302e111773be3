import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Dashboard } from '@grafana/schema';
import { preparePlugin, systemClock } from '@horarium/core';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { createGenerator } from 'ts-json-schema-generator';
import { parse, stringify } from 'yaml';
import { handbookFiles } from '../../../plugins/docs/pages/files.ts';
import { handbookFolder } from '../../../plugins/docs/pages/handbook.ts';
import fleetNats from '../../../plugins/fleet-nats/plugin.ts';
import { HttpService } from '../../support/http/http-service.ts';

const run = promisify(execFile);
const promtool = process.env['HORARIUM_TEST_PROMTOOL'];
const pathOf = (name: string) =>
  fileURLToPath(new URL(handbookFiles.find((file) => file.name === name)?.path ?? '', handbookFolder));
const textOf = (name: string) => readFileSync(pathOf(name), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
}
const rules = (parse(textOf('alerts.yml')) as { groups: [{ rules: Rule[] }] }).groups[0].rules;

/** For each alert the series with which it fires, after how long, and the labels that it has besides its severity. */
const firing: Readonly<
  Record<string, readonly [series: string, after: string, labels?: Readonly<Record<string, string>>]>
> = {
  HorariumDown: ['up{job="horarium", instance="a"}', '2m', { job: 'horarium', instance: 'a' }],
  HorariumTasksMissedOrFailed: [
    'horarium_tasks{state="missed", company="acme"}',
    '0m',
    { state: 'missed', company: 'acme' },
  ],
  HorariumTasksLate: ['horarium_tasks{state="fulfilled_late", company="acme"}', '0m', { company: 'acme' }],
  HorariumTasksAtRisk: ['horarium_summary_tasks{outcome="overdue"}', '1m', { outcome: 'overdue' }],
  HorariumTemplatesWithoutWorker: ['horarium_summary_templates_without_worker', '2m'],
  HorariumNoWorker: ['horarium_workers', '2m'],
  HorariumSchedulerBehind: ['horarium_scheduler_lag_seconds', '5m'],
  HorariumQueueGrows: ['horarium_queue_due_jobs', '10m'],
  HorariumAgentReportsWait: ['horarium_agent_report_lag_seconds', '2m'],
  HorariumClockHeld: ['horarium_clock_held_seconds', '0m'],
};
/** Alerts that fire at zero; the others fire at a high value. */
const atZero = new Set(['HorariumDown', 'HorariumNoWorker']);

describe('The files for monitoring', () => {
  it('use metrics that the service has', async () => {
    const service = await new HttpService().start();
    const { text } = await service.requestAsAdmin('//metrics');
    await service.stop();
    const { plugin, setup } = preparePlugin(fleetNats, { host_key_file: '/etc/horarium/hosts.key' }, systemClock);
    const ofAgents = plugin.gauges?.(setup).map(({ name }) => `horarium_${name}`) ?? [];
    const known = new Set([...[...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name), ...ofAgents]);
    const used = [
      ...`${textOf('alerts.yml')}${textOf('dashboard.json')}`.matchAll(/\b(?:horarium|process)_\w+(?=[{[)])/g),
    ];
    expect(used.length).to.be.greaterThan(15);
    expect(
      used.map(([name]) => name.replace(/_(bucket|sum|count)$/, '')).filter((name) => !known.has(name)),
    ).to.deep.equal([]);
  });

  it('are handed out by the service, without a sign-in', async () => {
    const service = await new HttpService().start();
    const alerts = await service.request('//docs/alerts.yml');
    const dashboard = await service.request('//docs/dashboard.json');
    await service.stop();
    expect([alerts.status, alerts.text]).to.deep.equal([200, textOf('alerts.yml')]);
    expect(alerts.headers['content-type']).to.equal('application/yaml; charset=utf-8');
    expect([dashboard.status, dashboard.text]).to.deep.equal([200, textOf('dashboard.json')]);
  });

  it('hold a dashboard that the schema of Grafana accepts', () => {
    const types = join(dirname(createRequire(import.meta.url).resolve('@grafana/schema/package.json')), 'dist/types');
    const path = join(types, 'raw/dashboard/x/types.gen.d.ts');
    const schema = createGenerator({
      path,
      type: 'Dashboard',
      skipTypeCheck: true,
      additionalProperties: false,
    }).createSchema('Dashboard');
    const accepts = new Ajv({ strict: false }).compile(schema as object);
    const dashboard = JSON.parse(textOf('dashboard.json')) as Dashboard;
    accepts(dashboard);
    expect(accepts.errors).to.equal(null);
    expect(accepts({ ...dashboard, refresh: 30 })).to.equal(false);
    const ids = dashboard.panels?.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).to.equal(ids.length).and.to.be.greaterThan(8);
  });

  const optional = promtool === undefined ? it.skip : it;

  optional('hold alert rules that promtool accepts, which all fire', async () => {
    expect(Object.keys(firing)).to.have.members(rules.map(({ alert }) => alert));
    const folder = mkdtempSync(join(tmpdir(), 'horarium-alerts-'));
    try {
      const tests = Object.entries(firing).map(([alert, [series, after, labels = {}]]) => {
        const severity = textOf('alerts.yml')
          .split(`alert: ${alert}\n`)[1]
          ?.match(/severity: (\w+)/)?.[1];
        const expr = `ALERTS{alertname="${alert}", alertstate="firing"}`;
        const of = { alertname: alert, alertstate: 'firing', severity, ...labels };
        const all = Object.entries(of)
          .map(([name, value]) => `${name}="${value}"`)
          .join(', ');
        const quiet = atZero.has(alert) ? 1 : 0;
        const loud = atZero.has(alert) ? 0 : 500;
        return {
          interval: '1m',
          input_series: [{ series, values: `${quiet}x4 ${loud}x30` }],
          promql_expr_test: [
            { expr, eval_time: '4m', exp_samples: [] },
            {
              expr,
              eval_time: `${5 + Number.parseInt(after, 10)}m`,
              exp_samples: [{ labels: `ALERTS{${all}}`, value: 1 }],
            },
          ],
        };
      });
      const file = join(folder, 'tests.yml');
      writeFileSync(file, stringify({ rule_files: [pathOf('alerts.yml')], evaluation_interval: '1m', tests }));
      await run(promtool as string, ['check', 'rules', pathOf('alerts.yml')]);
      const { stdout } = await run(promtool as string, ['test', 'rules', file]).catch((error) => error);
      expect(stdout).to.include('SUCCESS');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
