import type { Route } from '@horarium/core';
import { expect } from 'chai';
import { parse as parseCsv } from 'csv-parse/sync';
import { load as loadYaml } from 'js-yaml';
import { acceptsSuffix, barePath } from '../../../../adapters/http/route-paths.ts';
import { readHtml } from '../../../support/formats/read-html.ts';
import { readXml } from '../../../support/formats/read-xml.ts';
import { HttpService } from '../../../support/http/http-service.ts';
import { addSampleRecords } from '../../../support/http/sample-records.ts';

const mimes: Readonly<Record<string, string>> = {
  json: 'application/json; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
  yaml: 'application/yaml; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  html: 'text/html; charset=utf-8',
};
const table = (text: string) => parseCsv(text, { record_delimiter: ['\r\n', '\n', '\r'] });

describe('Every format', () => {
  let service: HttpService;
  /** The paths of all described routes that read, without suffix, with 1 for each id. */
  let paths: string[];

  before(async () => {
    service = await new HttpService().start();
    await addSampleRecords(service);
    const isRead = ({ method, atRoot = false, hidden = false }: Route) => method === 'GET' && !atRoot && !hidden;
    const readable = service.routes.filter((route) => isRead(route) && acceptsSuffix(route));
    paths = readable.map((route) => barePath(route).replace(/\{\w+\}/g, '1')).filter((path) => path !== '/login');
  });
  after(() => service.stop());

  it('writes the same data for every endpoint that reads', async () => {
    expect(paths).to.include.members([
      '/apps',
      '/company/1',
      '/task/1',
      '/auditlog',
      '/status',
      '/summary',
      '/index',
      '/ping',
    ]);
    for (const path of paths) {
      // All times of a timeline count from its start.
      const query = path === '/tasks/timeline' ? '?from=2026-11-20&to=2026-11-21' : '';
      const get = (suffix: string) => service.requestAsAdmin(`${path}.${suffix}${query}`);
      const json = await get('json');
      expect([path, json.status]).to.deep.equal([path, 200]);
      // The range of the summary ends now.
      const now = { time: 0, uptime: 0, to: 0 };
      const moving = (data: unknown) => (Array.isArray(data) ? data : { ...(data as object), ...now });
      const xml = readXml((await get('xml')).text).value;
      expect(moving(xml), `${path}.xml`).to.deep.equal(moving(json.json));
      const yaml = loadYaml((await get('yaml')).text);
      expect(moving(yaml), `${path}.yaml`).to.deep.equal(moving(json.json));
      const [header = [], ...rows] = table((await get('csv')).text);
      expect(
        rows.every((row) => row.length === header.length),
        `${path}.csv`,
      ).to.equal(true);
      expect(rows.flat().filter((cell) => /^[=+@]|^-\D/.test(cell))).to.deep.equal([]);
      if (Array.isArray(json.json)) expect(rows, `${path}.csv`).to.have.length(json.json.length);
      const html = await get('html');
      expect(readHtml(html.text).errors, `${path}.html`).to.deep.equal([]);
      expect(html.text).not.to.include('<script');
      expect(html.headers['content-security-policy']).to.match(/^default-src 'none'; style-src 'sha256-/);
    }
  });

  it('sets its content type on HEAD too', async () => {
    for (const [suffix, mime] of Object.entries(mimes))
      for (const method of ['GET', 'HEAD']) {
        const response = await service.requestAsAdmin(`/company/1.${suffix}`, { method });
        expect([response.status, response.headers['content-type']]).to.deep.equal([200, mime]);
        expect(response.headers['etag']).to.be.a('string');
        if (method === 'HEAD') expect(response.text).to.equal('');
      }
  });

  it('writes the columns of an empty list', async () => {
    const roleless = await service.core.addUser('roleless', 'a long enough one', null);
    for (const [path, first] of [
      ['/tasks/summary', 'day'],
      ['/runtemplate/1/preview', 'window_start'],
      [`/user/${roleless}/roles`, 'id'],
    ] as const) {
      const search = /summary|preview/.test(path) ? '?from=2020-01-01T05:00:00Z&to=2020-01-01T06:00:00Z' : '';
      const full = await service.requestAsAdmin(`${path}.json${search}`);
      expect([path, full.json]).to.deep.equal([path, []]);
      const [header, ...rows] = table((await service.requestAsAdmin(`${path}.csv${search}`)).text);
      expect([path, header?.[0], rows]).to.deep.equal([path, first, []]);
      const page = readHtml((await service.requestAsAdmin(`${path}.html${search}`)).text);
      expect(page.all('th')[0]?.text).to.match(new RegExp(`^${first}`));
    }
  });

  it('writes errors in its own content type', async () => {
    const errors: [number, string, object?][] = [
      [400, '/companies.SUFFIX?limit=0'],
      [400, '/company/x.SUFFIX'],
      [404, '/company/99.SUFFIX'],
      [404, '/nowhere/at/all.SUFFIX'],
      [405, '/ping.SUFFIX', { method: 'DELETE' }],
      [422, '/company/1.SUFFIX', { method: 'POST', body: { name: null, email: '<b>' } }],
    ];
    for (const [status, path, request] of errors) {
      const ask = (suffix: string) => service.requestAsAdmin(path.replace('SUFFIX', suffix), request);
      const json = await ask('json');
      const { request_id: _id, ...problem } = json.json;
      expect([json.status, problem.status]).to.deep.equal([status, status]);
      const detail = (suffix: string) => problem.detail.replaceAll('.json', `.${suffix}`);
      const same = (suffix: string) => ({ ...problem, detail: detail(suffix) });
      const xml = await ask('xml');
      expect(xml.headers['content-type']).to.equal('application/problem+xml; charset=utf-8');
      const { request_id: _xml, ...fromXml } = readXml(xml.text).value as { request_id: string };
      expect(fromXml).to.deep.equal(same('xml'));
      const { request_id: _yaml, ...fromYaml } = loadYaml((await ask('yaml')).text) as { request_id: string };
      expect(fromYaml).to.deep.equal(same('yaml'));
      const [header, ...rows] = table((await ask('csv')).text);
      expect(header).to.include.members(['status', 'detail', 'code', 'request_id']);
      expect(rows).to.have.length(problem.errors?.length ?? 1);
      const html = await ask('html');
      expect([html.status, html.headers['content-type']]).to.deep.equal([status, mimes['html']]);
      expect(readHtml(html.text).all('p', 'lead')[0]?.text).to.equal(detail('html'));
    }
  });

  it('challenges browsers with a Basic header of its own', async () => {
    const response = await service.request('/companies.html');
    expect([response.status, response.headers['content-type']]).to.deep.equal([401, mimes['html']]);
    expect(response.headersDistinct['www-authenticate']).to.deep.equal([
      'Bearer',
      'Basic realm="Horarium", charset="UTF-8"',
    ]);
    const nowhere = await service.request('/nowhere.html');
    expect(nowhere.headersDistinct['www-authenticate']).to.deep.equal(response.headersDistinct['www-authenticate']);
  });

  it('streams whole lists in every format', async () => {
    const count = (await service.requestAsAdmin('/auditlog.json?limit=all')).json.length;
    expect(count).to.be.above(10);
    expect(table((await service.requestAsAdmin('/auditlog.csv?limit=all')).text)).to.have.length(count + 1);
    const html = await service.requestAsAdmin('/auditlog.html?limit=all');
    expect(html.headers['transfer-encoding']).to.equal('chunked');
    expect(readHtml(html.text).rows()).to.have.length(count + 1);
    expect(readXml((await service.requestAsAdmin('/auditlog.xml?limit=all')).text).value).to.have.length(count);
    expect(loadYaml((await service.requestAsAdmin('/auditlog.yaml?limit=all')).text)).to.have.length(count);
  });
});
