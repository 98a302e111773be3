import { Topic, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { HttpService } from '../../../support/http/http-service.ts';

describe('List parameters over HTTP', () => {
  let service: HttpService;
  let app: number;
  const create = async (path: string, body: unknown) =>
    (await service.requestAsAdmin(path, { method: 'POST', body })).json;

  before(async () => {
    service = await new HttpService().start();
    const company_id = (await create('/company/', { code: 'acme', name: 'Acme' })).id;
    app = (await create('/app/', { code: 'first', name: 'First', executable: 'true' })).id;
    for (const name of ['Second', 'Third']) await create('/app/', { name, executable: 'true' });
    for (const active of [true, false]) {
      const code = active ? 'on' : 'off';
      await create('/runtemplate/', { name: 'T', code, app_id: app, company_id, active, interval: 'none' });
    }
  });
  after(() => service.stop());

  const refusal = async (path: string) => {
    const { status, json } = await service.requestAsAdmin(path);
    expect(status, path).to.equal(400);
    return json.detail as string;
  };

  describe('a cursor', () => {
    const cursor = (value: unknown) => encodeURIComponent(btoa(encodeURIComponent(JSON.stringify(value))));

    for (const [order, value] of [
      ['name', { a: 1 }],
      ['name', 5],
      ['enabled', 'x'],
      ['created_at', 'x'],
      ['created_at', 1e300],
      ['created_at', true],
    ] as const)
      it(`is refused when it holds the ${order} ${JSON.stringify(value)}`, async () => {
        const detail = await refusal(`/apps.json?order=${order}&after=${cursor([`asc ${order}`, value, 1])}`);
        expect(detail).to.equal('after must be the cursor that a previous page returned.');
      });

    it('belongs to one order, and skips no row whose value is null', async () => {
      const codes: unknown[] = [];
      let path = '/apps.json?order=-code&limit=1';
      while (path) {
        const page = await service.requestAsAdmin(path);
        codes.push(...page.json.map((each: { code: string | null }) => each.code));
        path = /^<\/api\/v1(.+)>; rel="next"$/.exec(String(page.headers['link']))?.[1] ?? '';
        if (path) expect(await refusal(path.replace('-code', 'name'))).to.match(/in another order/);
      }
      expect(codes).to.deep.equal(['first', null, null]);
    });
  });

  describe('an order', () => {
    it('by name and code is possible in every list whose records have them', async () => {
      for (const { names, columns, operations, nested } of service.core.resources)
        if (operations.includes('list') && !nested)
          for (const { name } of columns.filter((column) => ['name', 'code'].includes(column.name)))
            for (const order of [name, `-${name}`]) {
              const { status } = await service.requestAsAdmin(`/${names.plural}.json?order=${order}`);
              expect(status, `${names.plural} by ${order}`).to.equal(200);
            }
    });

    it('by the code of a run template pages through all of them, those without one last', async () => {
      const nameless = await create('/runtemplate/', { name: 'S', app_id: app, company_id: 1, interval: 'none' });
      const codes = async (order: string) => {
        const found: unknown[] = [];
        for (let path = `/runtemplates.json?limit=1&order=${order}`; path; ) {
          const page = await service.requestAsAdmin(path);
          found.push(...page.json.map((row: { code: string | null }) => row.code));
          path = /^<\/api\/v1(.+)>; rel="next"$/.exec(String(page.headers['link']))?.[1] ?? '';
        }
        return found;
      };
      expect(await codes('code')).to.deep.equal(['off', 'on', null]);
      expect(await codes('-code')).to.deep.equal(['on', 'off', null]);
      await service.requestAsAdmin(`/runtemplate/${nameless.id}.json`, { method: 'DELETE' });
    });

    it('by a field without an index is refused with the fields that are possible', async () => {
      expect(await refusal('/runtemplates.json?order=note')).to.match(
        /^order must be one of .*\bname\b.*, not note\.$/,
      );
    });
  });

  it('count rows exactly up to 10 000', async () => {
    const insert = (names: string[]) =>
      service.core.store.transaction(trustedActor('test'), async (tables) => {
        await tables.of(Topic).insert(names.map((name) => newRow(Topic, { name })));
      });
    const total = async (query: string) =>
      (await service.requestAsAdmin(`/topics.json?${query}`)).headers['x-total-count'];
    await insert(Array.from({ length: 10_000 }, (_, n) => `topic ${n}`));
    expect(await total('limit=1')).to.equal('10000');
    await insert(['one more']);
    for (const query of ['limit=1', 'limit=1&offset=9999', 'limit=1000&order=name'])
      expect(await total(query), query).to.equal('10000+');
    expect(await total('name=one%20more')).to.equal('1');
  });

  describe('a filter', () => {
    for (const id of ['0', '-1', '0x1', '1e0', ' 1', '01', 'abc', '99999999999999999', ''])
      it(`rejects "${id}" as an id`, async () => {
        const given = encodeURIComponent(id);
        for (const [list, name] of [
          ['runtemplates', 'app_id'],
          ['apps', 'id'],
          ['auditlog', 'entity_id'],
          ['auditlog', 'user_id'],
          ['tasks', 'runtemplate_id'],
        ])
          expect(await refusal(`/${list}.json?${name}=${given}`)).to.equal(
            `${name} must be a positive whole number, not "${id}".`,
          );
      });

    it('accepts every indexed field, at any position of its index', async () => {
      const codes = async (query: string) =>
        (await service.requestAsAdmin(`/runtemplates.json?${query}`)).json.map((row: { code: string }) => row.code);
      expect(await codes('code=off')).to.deep.equal(['off']);
      expect(await codes('company_id=1&code=on')).to.deep.equal(['on']);
      expect(await codes('company_id=1&code=neither')).to.deep.equal([]);
      expect(await refusal('/runtemplates.json?order=interval')).to.match(/^order must be one of id, /);
      expect(await refusal('/runtemplates.json?note=T')).to.match(/no query parameter note here/);
    });

    it('accepts the spellings of true and false that other parameters accept', async () => {
      const actives = async (given: string) =>
        (await service.requestAsAdmin(`/runtemplates.json?active=${given}`)).json.map(
          (row: { active: boolean }) => row.active,
        );
      for (const yes of ['true', '1', 'yes', 'Yes']) expect(await actives(yes), yes).to.deep.equal([true]);
      for (const no of ['false', '0', 'no']) expect(await actives(no), no).to.deep.equal([false]);
      expect(await refusal('/runtemplates.json?active=maybe')).to.equal('active must be true or false, not "maybe".');
    });

    it('takes several values of a choice, separated by commas', async () => {
      const kinds = async (given: string) => {
        const { json } = await service.requestAsAdmin(`/auditlog.json?entity_type=${given}&limit=1000`);
        return [...new Set(json.map((row: { entity_type: string }) => row.entity_type))].sort();
      };
      expect(await kinds('Company')).to.deep.equal(['Company']);
      expect(await kinds('RunTemplate,Company,%20App,App')).to.deep.equal(['App', 'Company', 'RunTemplate']);
      expect(await refusal('/tasks.json?state=failed,lost')).to.match(/^state must be one of open, .*, not lost\.$/);
    });

    it('takes several ids, separated by commas, up to a hundred', async () => {
      const ids = async (given: string) => {
        const { json } = await service.requestAsAdmin(`/auditlog.json?id=${given}&order=id`);
        return json.map((row: { id: number }) => row.id);
      };
      expect(await ids('2,1,%202')).to.deep.equal([1, 2]);
      const many = Array.from({ length: 101 }, (_, index) => index + 1);
      expect(await ids(many.slice(1).join(','))).to.include.members([2, 3]);
      expect(await refusal(`/auditlog.json?id=${many.join(',')}`)).to.equal(
        'id has 101 values; a filter may have 100.',
      );
      expect(await refusal('/tasks.json?runtemplate_id=1,x')).to.match(/^runtemplate_id must be .*, not "x"\.$/);
    });

    it('takes none for a reference that a record may lack', async () => {
      const app = await create('/app/', { code: 'lone', name: 'Lone', executable: 'true' });
      const fields = { name: 'Lone', app_id: app.id, company_id: 1, interval: 'none' };
      const template = await create('/runtemplate/', fields);
      const job = await create('/job/', { runtemplate_id: template.id, scheduled_at: '2100-01-01T00:00:00Z' });
      const { json } = await service.requestAsAdmin(`/jobs.json?runtemplate_id=${template.id}&task_id=none`);
      expect(json.map(({ id }: { id: number }) => id)).to.deep.equal([job.id]);
      expect(await refusal('/jobs.json?runtemplate_id=none')).to.equal(
        'runtemplate_id must be a positive whole number, not "none".',
      );
      expect(await refusal('/jobs.json?task_id=1,none')).to.equal(
        'task_id must be a positive whole number, not "none".',
      );
    });

    it('takes several codes that can hold no comma, separated by commas', async () => {
      const codes = async (given: string) => {
        const { json } = await service.requestAsAdmin(`/companies.json?code=${given}&order=id`);
        return json.map((row: { code: string }) => row.code);
      };
      await create('/company/', { code: 'beta', name: 'Beta' });
      expect(await codes('acme')).to.deep.equal(['acme']);
      expect(await codes('beta,%20acme,none')).to.deep.equal(['acme', 'beta']);
      const many = Array.from({ length: 101 }, (_, index) => `c${index}`);
      expect(await refusal(`/companies.json?code=${many}`)).to.equal('code has 101 values; a filter may have 100.');
    });

    it('takes a text that may hold a comma as it is', async () => {
      for (const name of ['One,Two', 'One', 'Two']) await create('/app/', { code: name, name, executable: 'true' });
      for (const field of ['code', 'name']) {
        const { json } = await service.requestAsAdmin(`/apps.json?${field}=One,Two`);
        expect(json.map((row: { name: string }) => row.name)).to.deep.equal(['One,Two']);
      }
    });

    it('rejects a value that a choice does not have, and lists those it has', async () => {
      expect(await refusal('/tasks.json?state=done')).to.equal(
        'state must be one of open, running, fulfilled, fulfilled_late, failed, missed, cancelled, not done.',
      );
      expect(await refusal('/auditlog.json?entity_type=app')).to.match(
        /^entity_type must be one of App, Artifact, Calendar, Company, .*, UserRoles, not app\. Did you mean App\?$/,
      );
    });

    it('is refused when it is unknown, with the one that was probably meant', async () => {
      expect(await refusal('/apps.json?nmae=x')).to.match(
        /^There is no query parameter nmae here; .* Did you mean name\?$/,
      );
      expect(await refusal('/tasks.json?runtemplateid=1')).to.match(/Did you mean runtemplate_id\?$/);
      expect(await refusal('/apps.json?colour=red')).not.to.match(/Did you mean/);
    });
  });

  describe('a period', () => {
    const count = async (query: string) => {
      const { status, json } = await service.requestAsAdmin(`/auditlog.json?entity_type=App&entity_id=${app}&${query}`);
      expect(status, query).to.equal(200);
      return json.length;
    };

    it('accepts an offset whose plus was not encoded', async () => {
      expect(await count('from=2000-01-01T00:00:00+02:00')).to.equal(1);
      expect(await count('to=2000-01-01T00:00:00+02:00')).to.equal(0);
      expect(await count('from=2000-01-01T00:00:00.5-02:00')).to.equal(1);
    });

    it('may span all days that RFC 3339 can represent, and no others', async () => {
      expect(await count('from=0001-01-01&to=9999-12-31')).to.equal(1);
      for (const from of [
        '0000-01-01',
        '0000-12-31T23:59:59Z',
        '0001-01-01T00:00:00%2B01:00',
        '9999-12-31T23:59:59-01:00',
      ])
        await refusal(`/auditlog.json?from=${from}`);
    });
  });
});
