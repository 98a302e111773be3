import type { PluginGauge } from '@horarium/core/plugin';
import { expect } from 'chai';
import { Metrics } from '../../../adapters/http/metrics.ts';

describe('Gauges of plugins', () => {
  const gauge = (read: PluginGauge['read'], name = 'waiting_mails') => ({ name, help: 'Mails that wait.', read });
  const lines = async (metrics: Metrics) =>
    (await metrics.text(null)).split('\n').filter((line) => line.includes('waiting_mails'));

  it('are read with each text of the metrics, and have no value while they are not known', async () => {
    let waiting: number | null = 3;
    const metrics = new Metrics([gauge(async () => waiting)]);
    const described = ['# HELP horarium_waiting_mails Mails that wait.', '# TYPE horarium_waiting_mails gauge'];
    expect(await lines(metrics)).to.deep.equal([...described, 'horarium_waiting_mails 3']);
    waiting = null;
    expect(await lines(metrics)).to.deep.equal(described);
    waiting = 0;
    expect(await lines(metrics)).to.deep.equal([...described, 'horarium_waiting_mails 0']);
  });

  it('keep no other metric from being shown where they cannot be read', async () => {
    const throwing = gauge(() => {
      throw new Error('There is no mail server.');
    });
    const text = await new Metrics([throwing, gauge(async () => 1, 'sent_mails')]).text(null);
    expect(text)
      .to.include('\nhorarium_sent_mails 1\n')
      .and.not.match(/^horarium_waiting_mails/m);
  });

  it('are refused under the name of a metric of the service', () => {
    for (const name of ['workers', 'agents', 'http_requests_total'])
      expect(() => new Metrics([gauge(async () => 1, name)])).to.throw(
        `A plugin provides the gauge ${name}, and horarium_${name} is a metric of the service.`,
      );
  });
});
