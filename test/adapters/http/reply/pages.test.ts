import { expect } from 'chai';
import { readHtml } from '../../../support/formats/read-html.ts';
import { adminPassword, basic, HttpService, type TestResponse } from '../../../support/http/http-service.ts';
import { addSampleRecords } from '../../../support/http/sample-records.ts';

const publicUrl = 'https://jobs.example.com/horarium';
const base = `${publicUrl}/api/v1`;

describe('HTML pages', () => {
  let service: HttpService;
  const headers = { authorization: basic('root', adminPassword) };
  const open = (path: string): Promise<TestResponse> => service.request(path, { headers });
  const hrefs = (response: TestResponse) =>
    readHtml(response.text)
      .all('a')
      .map(({ text, attributes }) => ({ text, href: attributes['href'] as string }));

  before(async () => {
    service = await new HttpService({ publicUrl }).start();
    await addSampleRecords(service);
  });
  after(() => service.stop());

  it('link only to pages that exist', async () => {
    const seen = new Set<string>();
    const waiting = ['/index.html'];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const response = await open(path);
      expect([path, response.status]).to.deep.equal([path, 200]);
      if (!/^text\/html/.test(response.headers['content-type'] ?? '')) continue;
      for (const { href } of hrefs(response)) {
        if (/^(?:mailto:|https:\/\/example\.com\/)/.test(href) || href === `${publicUrl}/docs`) continue;
        expect(href.startsWith(`${base}/`), href).to.equal(true);
        const next = href.slice(base.length);
        // The combinations of orders and filters are endless: one of each kind is enough, and no second filter.
        const kind = next.replace(/\d+|(?<==)[^&]+/g, '1');
        if (kind.split('&').length > 1 && !kind.includes('entity_id')) continue;
        if (!seen.has(kind)) waiting.push(next);
        seen.add(kind);
      }
    }
    for (const word of ['app', 'company', 'runtemplate', 'task', 'job', 'topic', 'user', 'credential', 'auditlog'])
      expect(seen, word).to.include(`/${word}/1.html`);
    expect([...seen].filter((kind) => kind.endsWith('.csv')).length).to.be.above(10);
  });

  it('link from a record to its lists, its history and the other formats', async () => {
    const company = await open('/company/1.html');
    const lists = hrefs(company).map(({ href }) => href);
    expect(lists).to.include.members([
      `${base}/runtemplates.html?company_id=1`,
      `${base}/tasks.html?company_id=1`,
      `${base}/auditlog.html?entity_type=Company&entity_id=1`,
      `${base}/company/1.yaml`,
    ]);
    const output = await open('/job/1/output.html');
    expect(hrefs(output).map(({ href }) => href)).to.include.members([`${base}/jobs.html`, `${base}/job/1.html`]);
    expect(hrefs(output).map(({ href }) => href)).to.include(`${publicUrl}/docs`);
  });

  it('link from the index to every page without an id', async () => {
    const index = readHtml((await open('/index.html')).text);
    const paths = index
      .all('a')
      .flatMap(({ text, attributes }) => (text.startsWith('/api') ? [[text, attributes['href']]] : []));
    expect(paths).to.deep.include(['/api/v1/apps.{suffix}', `${base}/apps.html`]);
    expect(paths).to.deep.include(['/api/v1/status', `${base}/status.html`]);
    expect(paths.filter(([text]) => text?.replace('{suffix}', '').includes('{'))).to.deep.equal([]);
  });

  it('keep order and filters while one pages through a list', async () => {
    const first = await open('/auditlog.html?limit=2&order=created_at&action=create');
    const named = (response: TestResponse, text: string) => hrefs(response).find((link) => link.text === text)?.href;
    expect(named(first, '← first page')).to.equal(undefined);
    const next = named(first, 'next page →') as string;
    expect(next).to.include('limit=2&order=created_at&action=create&after=');
    expect(first.headers['link']).to.equal(`<${next}>; rel="next"`);
    const second = await open(next.slice(base.length));
    expect(named(second, '← first page')).to.equal(`${base}/auditlog.html?limit=2&order=created_at&action=create`);
    expect(named(second, 'created_at ↑')).to.equal(`${base}/auditlog.html?limit=2&action=create&order=-created_at`);
    expect(named(second, 'delete')).to.equal(`${base}/auditlog.html?limit=2&order=created_at&action=delete`);
    expect(named(second, 'all')).to.equal(`${base}/auditlog.html?limit=2&order=created_at`);
    expect(readHtml(second.text).all('h1')[0]?.text).to.match(/^auditlog 2 of \d+$/);
    const filtered = await open('/tasks.html?runtemplate_id=1&from=2026-11-01');
    const shown = readHtml(filtered.text).all('span', 'set');
    expect(shown.map(({ text }) => text)).to.deep.equal(['runtemplate_id = 1×', 'from = 2026-11-01×']);
    expect(hrefs(filtered).map(({ href }) => href)).to.include(`${base}/tasks.html?from=2026-11-01`);
    const all = await open('/auditlog.html?limit=all');
    expect(hrefs(all).map(({ href }) => href)).to.include.members([
      `${base}/auditlog.csv?limit=all`,
      `${base}/auditlog.xml?limit=all`,
    ]);
  });

  it('are redirected to from the root and the base path, after authentication, in the format that the client likes best', async () => {
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    for (const [accept, format] of [
      [browser, 'html'],
      ['text/csv;q=0.5, application/yaml', 'yaml'],
      ['*/*', 'json'],
      ['image/png', 'json'],
    ] as const)
      for (const address of ['', '/', '//']) {
        const { status, headers: sent, text } = await service.request(address, { headers: { ...headers, accept } });
        expect([address, status, sent.location, text]).to.deep.equal([address, 302, `${base}/index.${format}`, '']);
      }
    expect((await open('//')).headers.location).to.equal(`${base}/index.json`);
    for (const address of ['', '/']) expect((await service.request(address)).status).to.equal(401);
    expect((await service.request('/', { method: 'POST', headers, body: {} })).status).to.equal(404);
    const lost = (await open('//apps.json')).json.detail;
    expect(lost).to.equal('There is nothing at /apps.json; the API is under /api/v1, and described at /docs.');
    expect((await open('/nowhere')).json.detail).to.equal('There is nothing at /api/v1/nowhere.');
  });

  it('link to the documentation and back', async () => {
    const docs = (await service.request('//docs/api')).text;
    const back = readHtml(docs)
      .all('a')
      .flatMap(({ attributes }) => (attributes['href']?.startsWith('#') ? [] : [attributes['href']]));
    expect(back).to.deep.equal(['../docs', `${base}/openapi.json`, `${base}/openapi.yaml`, `${base}/index.html`]);
  });

  it('never show the key of a heartbeat', async () => {
    const { text } = await open('/ping.html?job=1&key=not-the-key');
    expect(text).to.include('Not Found').and.not.to.include('not-the-key');
  });
});
