import { hash } from 'node:crypto';
import { expect } from 'chai';
import { basic } from '../../../support/http/http-service.ts';
import { ExternalHttpWorld } from '../../../support/worlds/external-http-world.ts';

const base64 = (content: string | Uint8Array) => Buffer.from(content as string).toString('base64');

describe('Artifacts of external jobs', () => {
  let work: ExternalHttpWorld;

  before(async () => {
    work = await new ExternalHttpWorld().start();
  });
  after(() => work.stop());

  const report = (id: number, artifacts: unknown, more: object = {}) => work.post('/job/', { id, artifacts, ...more });

  it('are uploaded with a report, listed with the job, downloaded unchanged, and audited', async () => {
    const { id } = await work.claimNewJob();
    const pixels = Uint8Array.from({ length: 300_000 }, (_, at) => (at * 7 + (at >> 8)) % 256);
    const files = [
      { filename: 'out/picture.png', content: base64(pixels) },
      { filename: 'größe', content: base64('80 mm\n'), content_type: 'text/plain' },
    ];
    const { status, json } = await report(id, files, { exit_code: 0, stdout: 'done\n' });
    expect([status, json.state, json.stdout]).to.deep.equal([200, 'succeeded', 'done\n']);
    const [picture, size] = json.artifacts;
    expect(picture).to.deep.equal({
      id: picture.id,
      filename: 'out/picture.png',
      content_type: 'image/png',
      size: 300_000,
      sha256: hash('sha256', pixels),
    });
    expect(size).to.include({ filename: 'größe', content_type: 'text/plain', size: 6 });
    expect((await work.get(`/job/${id}.json`)).artifacts).to.deep.equal(json.artifacts);
    const response = await work.service.requestAsAdmin(`/artifact/${picture.id}`);
    expect(response.bytes.equals(pixels)).to.equal(true);
    const etag = `"${hash('sha256', pixels)}"`;
    expect(response.headers).to.include({ 'content-type': 'image/png', 'content-length': '300000', etag });
    expect(response.headers['content-disposition']).to.match(/^attachment; filename=picture\.png$/);
    const entries = await work.get(`/auditlog.json?entity_type=Artifact&entity_id=${picture.id}`);
    expect(entries).to.have.length(1);
    expect(entries[0]).to.include({ action: 'create', actor: 'root', channel: 'http', company_id: work.company });
    expect(entries[0].changes.filename).to.deep.equal([null, 'out/picture.png']);
  });

  it('may be uploaded while the job runs, in wrapped base64, and as a form', async () => {
    const { id } = await work.claimNewJob();
    const wrapped = base64('x'.repeat(200)).replace(/.{76}/g, '$&\r\n');
    expect((await report(id, [{ filename: 'a.txt', content: wrapped }])).json.state).to.equal('running');
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const form = new URLSearchParams({ artifacts: JSON.stringify([{ filename: 'b.csv', content: base64('1,2\n') }]) });
    const { status, json } = await work.post(`/job/${id}.json`, String(form), headers);
    expect(status).to.equal(200);
    const shown = json.artifacts.map((each: { filename: string; size: number }) => [each.filename, each.size]);
    expect(shown).to.deep.equal([
      ['a.txt', 200],
      ['b.csv', 4],
    ]);
  });

  it('are stored only once when they are sent twice under the same Idempotency-Key', async () => {
    const { id } = await work.claimNewJob();
    const files = [{ filename: 'once', content: '' }];
    for (const _ of [1, 2])
      expect((await work.post('/job/', { id, artifacts: files }, { 'idempotency-key': 'files' })).status).to.equal(200);
    const again = await report(id, files);
    expect([again.status, again.json.detail]).to.deep.equal([
      409,
      `once of Job ${id} is stored already: files never change.`,
    ]);
    expect((await work.get(`/job/${id}.json`)).artifacts).to.have.length(1);
  });

  it('are refused under names outside the working directory, and when they are malformed', async () => {
    const { id } = await work.claimNewJob();
    const names = [
      '',
      '/etc/passwd',
      '../up',
      'a/../../b',
      'a/..',
      '.',
      './a',
      'a//b',
      'a/',
      'C:\\evil',
      'a\0b',
      'a\nb',
    ];
    const refused = [...names, '\ud800', 'x'.repeat(1025), null, 7];
    for (const filename of refused) {
      const { status, json } = await report(id, [{ filename, content: '' }]);
      expect(status, JSON.stringify(filename)).to.equal(422);
      expect(json.errors[0].field).to.match(/^artifacts/);
    }
    const valid = { filename: 'a', content: '' };
    const wrong: [artifacts: unknown, message: RegExp][] = [
      [[{ ...valid, content: 'not base64!' }], /^artifacts\[0\]\.content must be base64$/],
      [[{ filename: 'a' }], /^artifacts\[0\]\.content is required$/],
      [[{ ...valid, content: 1 }], /^artifacts\[0\]\.content must be a text$/],
      [[{ ...valid, content_type: 'html' }], /^artifacts\[0\]\.content_type must be a media type/],
      [[{ ...valid, sha256: 'x' }], /sha256/],
      [[valid, valid], /^a is reported twice$/],
      ['a', /^artifacts must be a list$/],
    ];
    for (const [artifacts, message] of wrong) {
      const { status, json } = await report(id, artifacts);
      expect(status, JSON.stringify(artifacts)).to.equal(422);
      expect(json.errors[0].message).to.match(message);
    }
    expect((await work.get(`/job/${id}.json`)).artifacts).to.deep.equal([]);
    const accepted = ['...', '..a', 'a..', 'a/.b', 'a b/ü€.tar.gz', '-rf'];
    const done = await report(
      id,
      accepted.map((filename) => ({ filename, content: '' })),
    );
    expect(done.json.artifacts.map((each: { filename: string }) => each.filename)).to.deep.equal(accepted);
  });

  it('are accepted only for a running external job of the caller’s own company', async () => {
    const file = [{ filename: 'a', content: '' }];
    const waiting = await work.createJob(await work.createTemplate());
    const native = await work.createJob(await work.createTemplate({ executor: 'native', executor_options: {} }));
    const ended = (await work.claimNewJob()).id;
    await work.post('/job/', { id: ended, exit_code: 0 });
    for (const id of [waiting, native, ended]) expect((await report(id, file)).status).to.equal(409);
    expect((await work.post('/job/', { runtemplate_id: 1, artifacts: file })).status).to.equal(422);
    const password = 'a password of theirs';
    const { id: running } = await work.claimNewJob();
    for (const [login, role, expected] of [
      ['operator', 'operator', 200],
      ['viewer', 'viewer', 403],
      ['stranger', null, 403],
    ] as const) {
      const user_id = await work.service.core.addUser(login, password, 'viewer');
      if (role) await work.post(`/company/${work.company}/user/`, { user_id, role });
      const as = { authorization: basic(login, password) };
      const reported = await work.post('/job/', { id: running, artifacts: file }, as);
      expect(reported.status, login).to.equal(expected);
      const stored = (await work.get(`/job/${running}.json`)).artifacts[0].id;
      expect((await work.service.request(`/artifact/${stored}`, { headers: as })).status, login).to.equal(
        role ? 200 : 404,
      );
    }
  });

  it('have the heartbeat key of their job masked in their names', async () => {
    const { id } = await work.claimNewJob();
    const { json } = await report(id, [{ filename: `of ${work.heartbeatKey(id)}.txt`, content: '' }]);
    expect(json.artifacts[0]).to.include({ filename: 'of ••••••••.txt', content_type: 'text/plain' });
  });
});
