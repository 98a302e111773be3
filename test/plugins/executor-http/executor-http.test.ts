import { type Attempt, buildRegistries, preparePlugin, systemClock } from '@horarium/core';
import { attemptOf, executorContract } from '@horarium/core/contracts';
import type { Executor } from '@horarium/core/plugin';
import { expect } from 'chai';
import plugin from '../../../plugins/executor-http/plugin.ts';
import { type LoopbackServer, loopbackServer } from '../../support/http/loopback-server.ts';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';
import { hasOpenssl, selfSignedCertificate } from '../../support/secrets/certificate.ts';
import { httpTarget } from './http-target.ts';

describe('The executor http', () => {
  let server: LoopbackServer;
  before(async () => {
    server = await loopbackServer(httpTarget);
  });
  after(() => server[Symbol.asyncDispose]());

  const executorWith = (options: object = {}) => {
    const prepared = preparePlugin(plugin, { allowed_networks: ['127.0.0.1'], ...options }, systemClock);
    return buildRegistries([prepared]).executors.get('http') as Executor;
  };

  /** Runs an attempt at a path of the server, or at a whole URL. @returns its result and what it wrote. */
  async function run(attempt: Partial<Attempt>, options: object = {}) {
    const { executable = '/' } = attempt;
    const url = executable.startsWith('/') ? server.origin + executable : executable;
    let stdout = '';
    const output = (_stream: string, bytes: Uint8Array) => {
      stdout += Buffer.from(bytes).toString();
    };
    const executor = executorWith(options);
    const given = attemptOf({ ...attempt, executable: url });
    const { exitCode, reason, timedOut } = await executor.start(given, { started() {}, output }).done;
    return { exitCode, reason, timedOut, stdout };
  }
  const sent = async (attempt: Partial<Attempt>) => JSON.parse((await run(attempt)).stdout);

  const program = (path: string) => ({ executable: server.origin + path, arguments: [] });

  describe('keeps the contract', () => {
    const make = () => ({
      executor: executorWith(),
      programs: {
        succeeds: program('/status/200'),
        fails: program('/status/302'),
        writes: program('/writes'),
        writesMebibyte: program('/mebibyte'),
        runsUntilStopped: program('/hangs'),
        missing: { executable: 'no-url', arguments: [] },
        echoesStdin: program('/stdin'),
      },
    });
    defineContractTests(executorContract(make, systemClock, { mergesStderr: true, passesEnvironment: false }));
  });

  it('recognizes Apps whose URL is one, or a placeholder of one, and no program', () => {
    const { recognizes, addressOf } = executorWith();
    const app = { executable: 'http', arguments: [] as string[], oci_image: null };
    const recognized = [
      { ...app, executable: 'HTTPS://shop.example.com/cron' },
      { ...app, arguments: ['https://{HOST}/cron', 'accept: text/plain'] },
      { ...app, arguments: ['{URL}'] },
    ];
    const programs = [
      app,
      { ...app, executable: '/bin/true' },
      { ...app, arguments: ['GET', 'https://shop.example.com'] },
    ];
    const containers = recognized.map((each) => ({ ...each, oci_image: 'docker.io/library/alpine:3' }));
    expect([...recognized, ...programs, ...containers].filter((each) => recognizes?.(each))).to.deep.equal(recognized);
    expect(recognized.map((each) => addressOf?.(each))).to.deep.equal([
      'HTTPS://shop.example.com/cron',
      'https://{HOST}/cron',
      '{URL}',
    ]);
  });

  it('requests the URL, with the job in a header', async () => {
    const { method, url, headers, body } = await sent({ executable: '/path?a=b', jobId: 42 });
    expect({ method, url, body }).to.deep.equal({ method: 'GET', url: '/path?a=b', body: '' });
    expect(headers).to.include({ 'user-agent': 'Horarium', 'horarium-job': '42' });
  });

  it('sends the arguments as headers, and the stdin as the body of a POST', async () => {
    const { method, headers, body } = await sent({ arguments: ['Accept: text/plain', 'X-Empty:'], stdin: 'a=b' });
    expect([method, headers.accept, headers['x-empty'], body]).to.deep.equal(['POST', 'text/plain', '', 'a=b']);
  });

  it('takes the first argument for the URL where the executable is http', async () => {
    const given = { executable: 'http', arguments: [`${server.origin}/shop`, 'X-A: b'] };
    const { url, headers } = await sent(given);
    expect([url, headers['x-a']]).to.deep.equal(['/shop', 'b']);
  });

  it('sends what the template says in place of what the App says', async () => {
    const options = { method: 'PUT', headers: { accept: 'a/b' }, authorization: 'Bearer abc', body: 'own' };
    const { method, headers, body } = await sent({ arguments: ['Accept: c/d'], stdin: 'of the App', options });
    const { accept, authorization } = headers;
    expect({ method, accept, authorization, body }).to.deep.equal({
      method: 'PUT',
      accept: 'a/b',
      authorization: 'Bearer abc',
      body: 'own',
    });
  });

  for (const [status, list, exitCode, reason] of [
    [204, undefined, 0, null],
    [404, '200-299,404', 0, null],
    [404, undefined, 4, 'the server answered 404'],
    [503, undefined, 5, 'the server answered 503'],
    [200, '201', 2, 'the server answered 200'],
    [302, undefined, 3, 'the server answered 302; no redirect is followed'],
  ] as const)
    it(`ends with ${exitCode} when the server answers ${status} and ${list ?? 'nothing'} is expected`, async () => {
      const result = await run({ executable: `/status/${status}`, options: list ? { status: list } : {} });
      expect(result).to.include({ exitCode, reason });
    });

  it('stores the response up to the limit, and says that it was cut', async () => {
    const { exitCode, stdout } = await run({ executable: '/mebibyte' }, { max_output: 1024 });
    expect([exitCode, stdout]).to.deep.equal([0, `${'x'.repeat(1024)}\n[horarium: output cut after 1 KiB]\n`]);
  });

  it('makes no request to a private address that the operator does not allow', async () => {
    const before = server.connections();
    const { exitCode, reason } = await run({}, { allowed_networks: [] });
    expect(exitCode).to.equal(1);
    expect(reason).to.match(
      /^127\.0\.0\.1 belongs to this machine or its network, and HORARIUM_OUTBOUND_NETWORKS does not allow it$/,
    );
    expect(server.connections()).to.equal(before);
  });

  it('ends a request of a template without timeout after the time of the plugin', async () => {
    const { exitCode, reason, timedOut } = await run({ executable: '/hangs' }, { timeout: 1 });
    expect([exitCode, timedOut]).to.deep.equal([1, false]);
    expect(reason).to.match(/did not respond within 1 s$/);
  });

  for (const [given, reason] of [
    [{ executable: 'ftp://x.example/' }, 'ftp://x.example/ is no URL that begins with http:// or https://'],
    [{ executable: 'http' }, 'http is no URL that begins with http:// or https://'],
    [{ arguments: ['no header'] }, 'the argument "no header" is no header such as Accept: text/plain'],
  ] as const)
    it(`rejects ${JSON.stringify(given)}`, async () => {
      expect(await run(given)).to.include({ exitCode: 127, reason });
    });

  it('trusts the certificates that the template gives', async function () {
    if (!hasOpenssl()) this.skip();
    const tls = selfSignedCertificate('localhost');
    await using secure = await loopbackServer(httpTarget, { tls });
    const executable = `https://localhost:${secure.port}/status/200`;
    const { exitCode, reason } = await run({ executable }, { allowed_networks: ['127.0.0.1', '::1'] });
    expect(exitCode).to.equal(1);
    expect(reason).to.match(/its certificate is not trusted/);
    const trusting = { executable, options: { ca: tls.certificate } };
    expect(await run(trusting, { allowed_networks: ['127.0.0.1', '::1'] })).to.include({ exitCode: 0, stdout: 'text' });
  });

  it('names statuses that are none', () => {
    expect(() => executorWith().options['status']?.validateSync('20x')).to.throw(
      /must be statuses such as 200-299,404/,
    );
  });
});
