import { Delivery, trustedActor } from '@horarium/core';
import { noticeOf } from '@horarium/core/contracts';
import { expect } from 'chai';
import { load as loadYaml } from 'js-yaml';
import { newRow } from '#core/store/table';
import { storedNoticeOf } from '../../../support/actions/stored-notice.ts';
import { readXml } from '../../../support/formats/read-xml.ts';
import { HttpService } from '../../../support/http/http-service.ts';

describe('A delivery', () => {
  let service: HttpService;

  before(async () => {
    service = await new HttpService().start();
    const notice = storedNoticeOf('on_failure');
    const row = { action: 'tell', event: notice.event, owner: 'service', message_id: 'id', notice } as const;
    await service.core.store.transaction(trustedActor('test'), async (tables) =>
      tables.of(Delivery).insert([newRow(Delivery, { ...row, created_at: await tables.now() })]),
    );
  });
  after(() => service.stop());

  it('shows the times of what it tells as RFC 3339, in every format', async () => {
    const { json } = await service.requestAsAdmin('/delivery/1.json');
    const { window_start, window_end, deadline } = json.notice.task;
    expect([json.notice.occurred_at, json.notice.failing_since]).to.deep.equal([
      '2026-11-20T23:31:12.000Z',
      '2026-11-20T23:31:12.000Z',
    ]);
    expect([window_start, window_end, deadline]).to.deep.equal([
      '2026-11-20T00:00:00.000Z',
      '2026-11-21T00:00:00.000Z',
      '2026-11-21T00:00:00.000Z',
    ]);
    expect(json.notice).to.deep.include({ failures: 1, reason: noticeOf('on_failure').reason });
    const texts = await Promise.all(
      ['xml', 'yaml', 'csv', 'html'].map(
        async (suffix) => (await service.requestAsAdmin(`/delivery/1.${suffix}`)).text,
      ),
    );
    const [xml = '', yaml = '', ...others] = texts;
    expect(readXml(xml).value).to.deep.equal(json);
    expect(loadYaml(yaml)).to.deep.equal(json);
    for (const text of others)
      expect(text)
        .to.contain('2026-11-20T23:31:12.000Z')
        .and.not.to.match(/17\d{11}/);
    const retried = await service.requestAsAdmin('/delivery/1/retry.json', { method: 'POST', body: {} });
    expect(retried.json.notice).to.deep.equal(json.notice);
  });

  it('is described with all that it tells, so that every answer is compared with the description', () => {
    type Described = { readonly properties: Readonly<Record<string, Described>> };
    const { schemas } = service.document.components as { schemas: Readonly<Record<string, Described>> };
    const notice = schemas['Delivery']?.properties['notice'] as Described;
    const told = storedNoticeOf('on_failure');
    expect(Object.keys(notice.properties)).to.have.members(Object.keys(told));
    expect(notice.properties['occurred_at']).to.deep.equal({ type: 'string', format: 'date-time' });
    expect(notice.properties['failing_since']).to.deep.equal({ type: ['string', 'null'], format: 'date-time' });
    expect(notice.properties).to.have.nested.property('task.properties.window_start.format', 'date-time');
  });
});
