import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { readHtml } from '../../../support/formats/read-html.ts';
import { adminPassword } from '../../../support/http/http-service.ts';
import { JobWorld } from '../../../support/worlds/job-world.ts';

describe('The output of jobs over HTTP', () => {
  const world = new JobWorld();
  const { service, startJob, pollUntil } = world;
  before(() => world.open());
  after(() => world.close());

  const bytes = (text: string) => new TextEncoder().encode(text);

  it('is read from the piece after the one that `after` names', async () => {
    const { id, started } = await startJob();
    await started.report.output('stdout', bytes('one\n'));
    await started.report.output('stderr', bytes('two\n'));
    started.end();
    await pollUntil(`/job/${id}.json`, (job) => job.state === 'succeeded');
    const all = (await service.requestAsAdmin(`/job/${id}/output.json`)).json;
    expect(all).to.deep.include({ job_id: id, complete: true });
    expect(all.pieces.map((piece: { stream: string; text: string }) => [piece.stream, piece.text])).to.deep.equal([
      ['stdout', 'one\n'],
      ['stderr', 'two\n'],
    ]);
    const rest = (await service.requestAsAdmin(`/job/${id}/output?after=${all.pieces[0].seq}`)).json;
    expect(rest.pieces).to.deep.equal(all.pieces.slice(1));
    const only = (await service.requestAsAdmin(`/job/${id}/output.json?stream=stderr`)).json;
    expect(only.pieces).to.deep.equal(all.pieces.slice(1));
    expect((await service.requestAsAdmin(`/job/${id}/output.json?after=${all.next}`)).json.pieces).to.deep.equal([]);
    for (const query of ['stream=stdin', 'after=x', 'follow=perhaps', 'colour=red'])
      expect((await service.requestAsAdmin(`/job/${id}/output.json?${query}`)).status, query).to.equal(400);
    expect((await service.requestAsAdmin('/job/999999/output.json?follow=true')).status).to.equal(404);
  });

  it('is a page with a link to the rest until it is complete', async () => {
    const { id, started } = await startJob();
    const path = `/job/${id}/output`;
    const more = async (search: string) => {
      const { text } = await service.requestAsAdmin(`${path}.html?stream=stdout${search}`);
      const [link] = readHtml(text)
        .all('a')
        .filter((each) => each.text === 'more');
      return link?.attributes['href'];
    };
    expect(await more('')).to.equal(`/api/v1${path}.html?stream=stdout`);
    await started.report.output('stdout', bytes('one\n'));
    while ((await service.requestAsAdmin(`${path}.json`)).json.pieces.length === 0);
    const rest = `/api/v1${path}.html?stream=stdout&after=0`;
    expect(await more('')).to.equal(rest);
    expect(await more('&after=0')).to.equal(rest);
    started.end();
    await pollUntil(`/job/${id}.json`, (job) => job.state === 'succeeded');
    expect(await more('')).to.equal(undefined);
  });

  it('is a page of about 256 KiB, because a larger one would hold up every other request', async () => {
    const { id, started } = await startJob();
    const written = Array.from({ length: 12 }, (_, index) => String.fromCodePoint(97 + index).repeat(100_000));
    for (const text of written) await started.report.output('stdout', bytes(text));
    started.end();
    await pollUntil(`/job/${id}.json`, (job) => job.state === 'succeeded');
    let read = '';
    for (let search = '', complete = false; !complete; ) {
      const page = (await service.requestAsAdmin(`/job/${id}/output.json${search}`)).json;
      const text = page.pieces.map((piece: { text: string }) => piece.text).join('');
      // A single chunk may be larger.
      if (page.pieces.length > 1) expect(text.length).to.be.at.most(256 * 1024);
      read += text;
      search = `?after=${page.next}`;
      complete = page.complete;
    }
    expect(read).to.equal(written.join(''));
  });

  it('is downloaded as one text, in the order in which it was written', async () => {
    const { id, started } = await startJob();
    const lines = Array.from({ length: 500 }, (_, index) => `${index} ${'€'.repeat(300)}\n`);
    for (const [index, line] of lines.entries())
      await started.report.output(index % 3 === 0 ? 'stderr' : 'stdout', bytes(line));
    const soFar = await service.requestAsAdmin(`/job/${id}/output.json?download=true`);
    expect(soFar.text).to.equal(lines.join(''));
    expect(soFar.headers['content-type']).to.equal('text/plain; charset=utf-8');
    started.end();
    await pollUntil(`/job/${id}.json`, (job) => job.state === 'succeeded');
    const errors = await service.requestAsAdmin(`/job/${id}/output.json?download=true&stream=stderr`);
    expect(errors.text).to.equal(lines.filter((_, index) => index % 3 === 0).join(''));
    expect((await service.requestAsAdmin(`/job/${id}/output.json?download=true&follow=true`)).status).to.equal(400);
    expect((await service.requestAsAdmin('/job/999999/output.json?download=true')).status).to.equal(404);
  });

  it('is streamed to a follower until the job ends', async () => {
    const { id, started } = await startJob();
    const target = `${service.url}/api/v1/job/${id}/output.json?follow=true`;
    const request = get(target, { headers: { authorization: service.admin }, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.headers['content-type']).to.equal('text/event-stream');
    let text = '';
    response.on('data', (piece) => {
      text += piece;
    });
    const euro = bytes('€\n');
    await started.report.output('stdout', bytes('first\n'));
    await started.report.output('stdout', euro.subarray(0, 2));
    while (!text.includes('event: output')) await once(response, 'data');
    await started.report.output('stdout', euro.subarray(2));
    started.end();
    await once(response, 'end');
    const { statusCode, headers } = response;
    service.openApiCheck.check(
      { method: 'GET', path: new URL(target).pathname },
      { status: statusCode ?? 0, headers, text },
    );
    const written = [...text.matchAll(/event: output\ndata: (.+)\n/g)].map(
      ([, data]) => JSON.parse(data as string).text,
    );
    expect(written.join('')).to.equal('first\n€\n');
    expect(text).to.match(/event: end\ndata: \{\}\n\n$/);
  });

  it('is streamed no longer than the follower’s credentials are valid', async () => {
    const { id, started } = await startJob();
    const login = { login: 'root', password: adminPassword };
    const { access_token } = (await service.request('/login.json', { method: 'POST', body: login })).json;
    const headers = { authorization: `Bearer ${access_token}` };
    const request = get(`${service.url}/api/v1/job/${id}/output.json?follow=true`, { headers, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    let text = '';
    response.on('data', (piece) => {
      text += piece;
    });
    await started.report.output('stdout', bytes('before\n'));
    while (!text.includes('before')) await once(response, 'data');
    expect((await service.request('/logout', { method: 'POST', headers })).status).to.equal(204);
    await started.report.output('stdout', bytes('after\n'));
    await once(response, 'end');
    expect(text).to.not.match(/after|event: end/);
    started.end();
  });
});
