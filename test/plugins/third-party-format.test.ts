import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { buildRegistries, preparePlugin } from '@horarium/core';
import { definePlugin, type FormatContext } from '@horarium/core/plugin';
import { expect } from 'chai';
import { StandingClock } from '../support/clocks/standing-clock.ts';
import { HttpService } from '../support/http/http-service.ts';

/** Builds a tar archive of one file. */
function archive(name: string, content: string): Uint8Array {
  const data = Buffer.from(content);
  const head = Buffer.alloc(512);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  head.write(name, 0);
  head.write(octal(0o644, 7) + octal(0, 7) + octal(0, 7) + octal(data.length, 11) + octal(0, 11), 100);
  head.write('        0', 148);
  head.write('ustar\x0000', 257);
  head.write(
    octal(
      head.reduce((sum, byte) => sum + byte, 0),
      6,
    ),
    148,
  );
  return gzipSync(Buffer.concat([head, data, Buffer.alloc(1024 + ((512 - (data.length % 512)) % 512))]));
}

/** A plugin that brings a binary format, one that throws, and one that writes nothing. */
const archives = definePlugin({
  name: 'format-archive',
  api: 1,
  formats: [
    {
      suffix: 'tar.gz',
      mime: 'application/gzip',
      headers: (value, { name }: FormatContext) => ({ 'X-Holds': Array.isArray(value) ? `many ${name}` : name }),
      write: (value, { name }) => archive(`${name}.json`, JSON.stringify(value)),
      async *writeList(pages) {
        const rows: unknown[] = [];
        for await (const page of pages) rows.push(...page);
        const bytes = archive('all.json', JSON.stringify(rows));
        for (let at = 0; at < bytes.length; at += 64) yield bytes.subarray(at, at + 64);
      },
    },
    {
      suffix: 'broken',
      mime: 'text/plain',
      write() {
        throw new Error('a mistake of the plugin');
      },
    },
    { suffix: 'void', mime: 'text/plain', write: () => undefined as unknown as string },
  ],
});

describe('A format of a third party', () => {
  let service: HttpService;
  let id: number;
  const unpack = (bytes: Buffer, ...options: string[]) =>
    String(execFileSync('tar', [...options, '-f', '-'], { input: bytes }));
  const read = (bytes: Buffer) => JSON.parse(unpack(bytes, '-xzO'));

  before(async () => {
    const { formats } = buildRegistries([preparePlugin(archives, {}, new StandingClock())]);
    service = await new HttpService({ extraFormats: [...formats], extraHeaders: ['x-holds'] }).start();
    id = (await service.requestAsAdmin('/topic/', { method: 'POST', body: { name: 'kůň' } })).json.id;
  });
  after(() => service.stop());

  it('may have a suffix of several parts, for items, lists and whole lists', async () => {
    const item = await service.requestAsAdmin(`/topic/${id}.tar.gz`);
    expect(item.headers).to.include({ 'content-type': 'application/gzip', 'x-holds': 'topic' });
    expect(unpack(item.bytes, '-tz')).to.equal('topic.json\n');
    expect(read(item.bytes)).to.deep.equal((await service.requestAsAdmin(`/topic/${id}`)).json);
    const list = await service.requestAsAdmin('/topics.tar.gz?limit=1');
    expect(list.headers).to.include({ 'x-holds': 'many topic', 'x-total-count': '1' });
    expect(read(list.bytes)).to.deep.equal((await service.requestAsAdmin('/topics')).json);
    const whole = await service.requestAsAdmin('/auditlog.tar.gz?limit=all');
    expect(whole.headers).to.include({ 'transfer-encoding': 'chunked', 'x-holds': 'auditlog' });
    expect(read(whole.bytes)).to.deep.equal((await service.requestAsAdmin('/auditlog?limit=1000')).json);
    expect((await service.request('/ping.tar.gz')).status).to.equal(200);
    const saved = await service.requestAsAdmin(`/topic/${id}.tar.gz`, { method: 'POST', body: { color: '#112233' } });
    expect(read(saved.bytes)).to.include({ id, color: '#112233' });
    expect((await service.requestAsAdmin(`/topic/${id}.tar.gz`, { method: 'HEAD' })).bytes).to.have.length(0);
  });

  it('writes the errors of routes, of the router and of authentication', async () => {
    for (const [path, status] of [
      ['/topic/99.tar.gz', 404],
      ['/topic/x.tar.gz', 400],
      ['/nowhere.tar.gz', 404],
      ['/topics.tar.gz?limit=0', 400],
    ] as const) {
      const answer = await service.requestAsAdmin(path);
      expect([answer.status, answer.headers['content-type']]).to.deep.equal([status, 'application/gzip']);
      expect(read(answer.bytes)).to.include({ status });
    }
    const refused = await service.request(`/topic/${id}.tar.gz`);
    expect([refused.status, read(refused.bytes).code]).to.deep.equal([401, 'unauthenticated']);
  });

  it('is linked on HTML pages, and named in the error for an unknown format', async () => {
    expect((await service.requestAsAdmin(`/topic/${id}.html`)).text).to.include(`href="/api/v1/topic/${id}.tar.gz"`);
    for (const suffix of ['gz', 'tar', 'tar.gz.gz', 'TAR.GZ']) {
      const answer = await service.requestAsAdmin(`/topic/${id}.${suffix}`);
      expect([answer.status, answer.json.detail]).to.deep.equal([
        404,
        `There is no format .${suffix} here; the formats are .json, .xml, .yaml, .csv, .html, .tar.gz, .broken, .void.`,
      ]);
    }
  });

  it('is answered with a 500 in JSON where it writes neither text nor bytes', async () => {
    const answer = await service.requestAsAdmin(`/topic/${id}.void`);
    expect([answer.status, answer.json.code]).to.deep.equal([500, 'internal']);
    expect(service.logLines.join('')).to.include('The format void wrote neither text nor bytes.');
    expect((await service.requestAsAdmin('/nowhere.void')).json.code).to.equal('not_found');
  });

  it('is answered with a 500 in JSON where it throws', async () => {
    const answer = await service.requestAsAdmin(`/topic/${id}.broken`);
    expect([answer.status, answer.json.code]).to.deep.equal([500, 'internal']);
    expect(answer.text).not.to.include('a mistake of the plugin');
    expect(service.logLines.join('')).to.include('a mistake of the plugin');
    expect((await service.requestAsAdmin('/nowhere.broken')).json.code).to.equal('not_found');
  });
});
