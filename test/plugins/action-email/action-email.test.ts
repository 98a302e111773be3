import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { actionContract, noticeOf } from '@horarium/core/contracts';
import { nodeClock } from '@horarium/core/node';
import { expect } from 'chai';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import plugin from '../../../plugins/action-email/plugin.ts';
import { actionOf, deliver } from '../../support/actions/deliver.ts';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { hasOpenssl, selfSignedCertificate } from '../../support/secrets/certificate.ts';

describe('The action email', () => {
  const password = 'a planted password';
  const received: { readonly to: readonly string[]; readonly raw: string }[] = [];
  const sockets = new Set<Socket>();
  let smtp: SMTPServer;
  let silent: Server;
  let certificate: string;
  before(async function () {
    if (!hasOpenssl()) this.skip();
    const pair = selfSignedCertificate('localhost');
    certificate = pair.certificate;
    smtp = new SMTPServer({
      key: pair.key,
      cert: pair.certificate,
      authOptional: true,
      onAuth: (auth, _session, callback) =>
        auth.password === password ? callback(null, { user: auth.username }) : callback(new Error('Wrong.')),
      onRcptTo: ({ address }, _session, callback) =>
        address.startsWith('unknown')
          ? callback(Object.assign(new Error('No such mailbox'), { responseCode: 550 }))
          : callback(),
      onData(stream, session, callback) {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const to = session.envelope.rcptTo.map(({ address }) => address);
          received.push({ to, raw: Buffer.concat(chunks).toString() });
          callback(null, 'accepted');
        });
      },
    });
    smtp.on('error', () => {});
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
    // A server that accepts connections and never says anything.
    silent = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    await new Promise<void>((resolve) => (smtp ? smtp.close(() => resolve()) : resolve()));
    silent?.close();
  });

  const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
  const action = (options: object = {}) =>
    actionOf(plugin, {
      host: 'localhost',
      port: portOf(smtp.server),
      user: 'horarium',
      password,
      from: 'Horarium <horarium@acme.example>',
      ca: certificate,
      ...options,
    });
  const to = 'ops@acme.example';

  describe('keeps the contract', () => {
    const blank = { digest: 3600, subject: null, text: null };
    // The address decides which server the action of the contract talks to, as the server is an option of the plugin.
    const make = () => ({
      action: {
        ...action(),
        deliver: (delivery: Parameters<ReturnType<typeof action>['deliver']>[0], signal: AbortSignal) => {
          const address = String(delivery.options['to']);
          const port = address.startsWith('silent')
            ? portOf(silent)
            : address.startsWith('closed')
              ? 1
              : portOf(smtp.server);
          const wrong = address.startsWith('wrong') ? { password: 'another planted password' } : {};
          return action({ port, ...wrong }).deliver(delivery, signal);
        },
      },
      reachable: { ...blank, to },
      unreachable: [
        { ...blank, to: 'unknown@acme.example' },
        { ...blank, to: 'closed@acme.example' },
        { ...blank, to: 'wrong@acme.example' },
      ],
      unresponsive: [{ ...blank, to: 'silent@acme.example' }],
      secrets: [password, 'another planted password'],
      arrived: () => received.length,
      connections: () => sockets.size,
    });
    defineContractTests(actionContract(make, nodeClock));
  });

  it('sends text and html to every address, over TLS, with the same Message-ID each time', async () => {
    received.length = 0;
    const options = { to: 'ops@acme.example, boss@acme.example' };
    const result = await deliver(action(), options);
    expect(result).to.deep.include({ status: 250 });
    await deliver(action(), options, { attempt: 2 });
    const mails = await Promise.all(received.map(({ raw }) => PostalMime.parse(raw)));
    const [mail = expect.fail()] = mails;
    expect(received[0]?.to).to.deep.equal(['ops@acme.example', 'boss@acme.example']);
    expect(mail.subject).to.equal('[Horarium] Acme Inc.: Nightly backup of the shop has failed');
    expect(mail.from?.address).to.equal('horarium@acme.example');
    expect(mail.text).to.contain('Why:       the last attempt failed (exit code 3)');
    expect(mail.html).to.contain('<a href="https://horarium.example/api/v1/task/12.html">');
    expect(mails.map(({ messageId }) => messageId)).to.deep.equal(
      Array(2).fill('<6f1b2f0e-3a5d-4c5b-9a57-0d7f3a2c4e11@horarium>'),
    );
    expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).to.equal('auto-generated');
  });

  it('lets no name of a record add a header or markup', async () => {
    received.length = 0;
    const name = 'x\r\nBcc: eve@evil.example\r\n\r\n<script>alert(1)</script>';
    const notice = noticeOf('on_failure', { runtemplate: { id: 7, code: null, name } });
    await deliver(action(), { to }, { notice });
    const mail = await PostalMime.parse(received[0]?.raw ?? '');
    expect(received[0]?.to).to.deep.equal([to]);
    expect(mail.bcc ?? []).to.deep.equal([]);
    expect(mail.html).not.to.contain('<script>');
    for (const wrong of ['a@b\r\nBcc: c@d', 'nobody', 'A <a@b.example>', ''])
      expect(action().options['to']?.isValidSync(wrong, { strict: true }), wrong).to.equal(false);
  });

  it('tells the failures of a digest', async () => {
    received.length = 0;
    const { occurred_at: at, reason, task, job } = noticeOf('on_failure');
    const digest = { count: 24, first_at: at, last_at: at, failures: [{ occurred_at: at, reason, task, job }] };
    await deliver(action(), { to }, { notice: noticeOf('on_failure', { failures: 25, digest, failing_since: at }) });
    const { subject, text } = await PostalMime.parse(received[0]?.raw ?? '');
    expect(subject).to.contain('has failed 24 more times');
    expect(text)
      .to.contain('The newest 1 of these 24 failures:')
      .and.to.contain('* 2026-11-20T23:31:12.000Z Task 12: the last');
    expect(action().digestInterval?.({ digest: 60 } as never)).to.equal(60_000);
  });

  it('says why a server did not take the message, without the password', async () => {
    const refusal = async (options: object, address = to) =>
      (await rejectionOf(deliver(action(options), { to: address }))).message;
    expect(await refusal({}, 'unknown@acme.example')).to.contain('No such mailbox');
    expect(await refusal({ password: 'another' })).to.match(
      /^The mail server localhost did not take the message: it refuses the user or the password\.$/,
    );
    expect(await refusal({ host: 'horarium.invalid' })).to.match(/there is no host of this name|cannot be resolved/);
    expect(await refusal({ ca: null })).to.match(/certificate/);
  });

  it('cannot be configured while the operator has no mail server', () => {
    expect(actionOf(plugin).refuse?.({ to })).to.contain('no mail server');
    expect(action().refuse?.({ to })).to.equal(null);
  });
});
