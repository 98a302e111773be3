import { execFileSync } from 'node:child_process';
import { buildRegistries, preparePlugin } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { definePlugin } from '@horarium/core/plugin';
import { expect } from 'chai';
import archive from '../examples/plugins/format-archive.ts';
import { HttpService } from '../support/http/http-service.ts';

/** A plugin with a format that throws, and one that returns undefined. */
const faulty = definePlugin({
  name: 'format-faulty',
  api: 1,
  formats: [
    {
      suffix: 'broken',
      mime: 'text/plain',
      write() {
        throw new Error('a mistake of the plugin');
      },
    },
    { suffix: 'undefined', mime: 'text/plain', write: () => undefined as unknown as string },
  ],
});

describe('A format of a third party', () => {
  let service: HttpService;
  let id: number;
  const unpack = (bytes: Buffer, ...options: string[]) =>
    String(execFileSync('tar', [...options, '-f', '-'], { input: bytes }));
  const read = (bytes: Buffer) => JSON.parse(unpack(bytes, '-xzO'));

  before(async () => {
    const { formats } = buildRegistries(
      [archive, faulty].map((plugin) => preparePlugin(plugin, {}, new StandingClock())),
    );
    service = await new HttpService({ extraFormats: [...formats], extraHeaders: ['x-contents'] }).start();
    id = (await service.requestAsAdmin('/topic/', { method: 'POST', body: { name: 'kůň' } })).json.id;
  });
  after(() => service.stop());

  it('writes items, pages of lists, whole lists and replies to writes, under a suffix of several parts', async () => {
    const item = await service.requestAsAdmin(`/topic/${id}.tar.gz`);
    expect(item.headers).to.include({ 'content-type': 'application/gzip', 'x-contents': 'topic' });
    expect(unpack(item.bytes, '-tz')).to.equal('topic.json\n');
    expect(read(item.bytes)).to.deep.equal((await service.requestAsAdmin(`/topic/${id}`)).json);
    const list = await service.requestAsAdmin('/topics.tar.gz?limit=1');
    expect(list.headers).to.include({ 'x-contents': 'many topic', 'x-total-count': '1' });
    expect(read(list.bytes)).to.deep.equal((await service.requestAsAdmin('/topics')).json);
    const whole = await service.requestAsAdmin('/auditlog.tar.gz?limit=all');
    expect(whole.headers).to.include({ 'transfer-encoding': 'chunked', 'x-contents': 'auditlog' });
    expect(read(whole.bytes)).to.deep.equal((await service.requestAsAdmin('/auditlog?limit=1000')).json);
    expect((await service.request('/ping.tar.gz')).status).to.equal(200);
    const saved = await service.requestAsAdmin(`/topic/${id}.tar.gz`, { method: 'POST', body: { color: '#112233' } });
    expect(read(saved.bytes)).to.include({ id, color: '#112233' });
    expect((await service.requestAsAdmin(`/topic/${id}.tar.gz`, { method: 'HEAD' })).bytes).to.have.length(0);
  });

  it('writes the errors of routes, of unknown paths and of authentication', async () => {
    for (const [path, status] of [
      ['/topic/99.tar.gz', 404],
      ['/topic/x.tar.gz', 400],
      ['/nowhere.tar.gz', 404],
      ['/topics.tar.gz?limit=0', 400],
    ] as const) {
      const response = await service.requestAsAdmin(path);
      expect([response.status, response.headers['content-type']]).to.deep.equal([status, 'application/gzip']);
      expect(read(response.bytes)).to.include({ status });
    }
    const unauthenticated = await service.request(`/topic/${id}.tar.gz`);
    expect([unauthenticated.status, read(unauthenticated.bytes).code]).to.deep.equal([401, 'unauthenticated']);
  });

  it('is linked from HTML pages, and listed in the error for an unknown format', async () => {
    expect((await service.requestAsAdmin(`/topic/${id}.html`)).text).to.include(`href="/api/v1/topic/${id}.tar.gz"`);
    for (const suffix of ['gz', 'tar', 'tar.gz.gz', 'TAR.GZ']) {
      const response = await service.requestAsAdmin(`/topic/${id}.${suffix}`);
      expect([response.status, response.json.detail]).to.deep.equal([
        404,
        `There is no format .${suffix} here; the formats are .json, .xml, .yaml, .csv, .html, .tar.gz, .broken, .undefined.`,
      ]);
    }
  });

  it('is replaced by a 500 in JSON when it returns neither text nor bytes', async () => {
    const response = await service.requestAsAdmin(`/topic/${id}.undefined`);
    expect([response.status, response.json.code]).to.deep.equal([500, 'internal']);
    expect(service.logLines.join('')).to.include('The format undefined wrote neither text nor bytes.');
    expect((await service.requestAsAdmin('/nowhere.undefined')).json.code).to.equal('not_found');
  });

  it('is replaced by a 500 in JSON when it throws', async () => {
    const response = await service.requestAsAdmin(`/topic/${id}.broken`);
    expect([response.status, response.json.code]).to.deep.equal([500, 'internal']);
    expect(response.text).not.to.include('a mistake of the plugin');
    expect(service.logLines.join('')).to.include('a mistake of the plugin');
    expect((await service.requestAsAdmin('/nowhere.broken')).json.code).to.equal('not_found');
  });
});
