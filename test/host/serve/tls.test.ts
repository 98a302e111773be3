import { EventEmitter } from 'node:events';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ReloadOnSighup, readTls } from '../../../host/serve/tls.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { hasOpenssl, selfSignedCertificate } from '../../support/secrets/certificate.ts';

const day = 86_400_000;

describe('readTls', () => {
  const folder = temporaryFolder('tls');
  const files = { tls_cert: 'cert.pem', tls_key: 'key.pem' };
  const write = ({ certificate, key }: ReturnType<typeof selfSignedCertificate>, mode = 0o600) => {
    writeFileSync(join(folder, files.tls_cert), certificate);
    writeFileSync(join(folder, files.tls_key), key);
    chmodSync(join(folder, files.tls_key), mode);
  };
  const warnings = async ({ now = Date.now(), public_url = null as string | null } = {}) =>
    (await readTls({ ...files, public_url }, folder, now))?.warnings;

  before(function () {
    if (!hasOpenssl()) this.skip();
  });
  after(() => rmSync(folder, { recursive: true }));

  it('warns of a certificate that browsers refuse, and of a key that every user can read', async () => {
    write(selfSignedCertificate('jobs.example.com'));
    expect(await warnings()).to.deep.equal([]);
    expect(await warnings({ public_url: 'https://jobs.example.com/base' })).to.deep.equal([]);
    const time = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
    expect((await warnings({ now: Date.now() + 3 * day }))?.join()).to.match(
      new RegExp(`^The certificate in cert.pem \\(tls_cert\\) expired at ${time}: clients refuse it\\.$`),
    );
    expect((await warnings({ now: Date.now() - day }))?.join()).to.match(
      new RegExp(`^The certificate in cert.pem \\(tls_cert\\) is valid from ${time} on only: clients refuse it\\.$`),
    );
    expect(await warnings({ public_url: 'https://other.example.com' })).to.deep.equal([
      'The certificate in cert.pem (tls_cert) is not for other.example.com, the host of public_url: clients refuse it.',
    ]);
    write(selfSignedCertificate('jobs.example.com'), 0o644);
    expect(await warnings()).to.deep.equal([
      'Every user of this machine can read key.pem (tls_key); chmod 600 keeps it to its owner.',
    ]);
  });

  it('names the file of a certificate that TLS does not accept', async () => {
    write(selfSignedCertificate('jobs.example.com', ['-newkey', 'rsa:1024']));
    expect((await rejectionOf(warnings())).message).to.equal(
      'The file cert.pem (tls_cert) cannot be used for TLS: ee key too small.',
    );
  });
});

describe('ReloadOnSighup', () => {
  it('reloads the certificate at each SIGHUP, also after one that could not be used', async () => {
    const signals = new EventEmitter();
    const logged: string[] = [];
    let isUsable = true;
    const reload = async () => {
      if (!isUsable) throw new Error('no certificate');
    };
    const lines = {
      tlsReloaded: () => void logged.push('reloaded'),
      tlsReloadFailed: (error: unknown) => void logged.push((error as Error).message),
    };
    const reloads = new ReloadOnSighup(signals, reload, lines);
    for (const usable of [true, false, true]) {
      isUsable = usable;
      signals.emit('SIGHUP');
      await reloads.done;
    }
    expect(logged).to.deep.equal(['reloaded', 'no certificate', 'reloaded']);
    reloads[Symbol.dispose]();
    expect(signals.listenerCount('SIGHUP')).to.equal(0);
  });
});
