import { actionContract } from '@horarium/core/contracts';
import { nodeClock } from '@horarium/core/node';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import plugin from '../../../plugins/action-webhook/plugin.ts';
import { actionOf, deliver } from '../../support/actions/deliver.ts';
import { Receiver } from '../../support/actions/receiver.ts';
import { defineContractTests } from '../../support/mocha/define-contract-tests.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';

describe('The action webhook', () => {
  const receiver = new Receiver();
  before(() => receiver.start());
  after(() => receiver[Symbol.asyncDispose]());

  const action = actionOf(plugin, { allowed_networks: ['127.0.0.1'] });
  const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
  const previous = `whsec_${Buffer.alloc(32, 4).toString('base64')}`;
  const url = (path: string) => `${receiver.origin}${path}`;

  describe('keeps the contract', () => {
    const blank = { secret, previous_secret: null, authorization: 'Bearer planted', subject: null, text: null };
    const make = () => ({
      action,
      reachable: { ...blank, url: url('/ok/planted-path') },
      unreachable: [
        { ...blank, url: url('/redirect/planted-path') },
        { ...blank, url: url('/refuses/planted-path') },
        { ...blank, url: 'http://127.0.0.1:1/planted-path' },
        { ...blank, url: 'http://horarium.invalid/planted-path' },
        { ...blank, url: 'http://[::1]/planted-path' },
      ],
      unresponsive: [{ ...blank, url: url('/hangs/planted-path') }],
      secrets: [secret, 'planted-path', 'planted'],
      arrived: () => receiver.received.length,
      connections: () => receiver.connections,
    });
    defineContractTests(actionContract(make, nodeClock));
  });

  it('posts what, for whom, why and where to read more, signed with the old and the new key', async () => {
    const result = await deliver(action, { url: url('/hook?a=b'), secret, previous_secret: previous });
    expect(result).to.deep.equal({ status: 200, response: 'thanks' });
    const { method, path, headers, body } = receiver.received.at(-1) ?? expect.fail();
    expect({ method, path }).to.deep.equal({ method: 'POST', path: '/hook?a=b' });
    expect(headers).to.include({
      'content-type': 'application/json',
      'webhook-id': '6f1b2f0e-3a5d-4c5b-9a57-0d7f3a2c4e11',
    });
    for (const key of [secret, previous]) {
      const verified = new Webhook(key).verify(body, headers) as Record<string, unknown>;
      expect(verified).to.deep.include({ type: 'on_failure', timestamp: '2026-11-20T23:31:12.000Z' });
    }
    const { subject, text, data } = JSON.parse(body);
    expect(subject).to.equal('[Horarium] Acme Inc.: Nightly backup of the shop has failed');
    expect(text).to.contain('exit code 3').and.to.contain('https://horarium.example/api/v1/task/12.html');
    expect(data.task).to.deep.include({ id: 12, window_start: '2026-11-20T00:00:00.000Z' });
  });

  it('sends no signature without a key, an own text, and the header Authorization', async () => {
    await deliver(action, {
      url: url('/hook'),
      authorization: 'Bearer abc',
      subject: '{template_code} {what}',
      text: '{reason}!',
    });
    const { headers, body } = receiver.received.at(-1) ?? expect.fail();
    expect(headers).to.include({ authorization: 'Bearer abc' }).and.not.to.have.property('webhook-signature');
    expect(JSON.parse(body)).to.deep.include({
      subject: 'nightly-backup has failed',
      text: 'the last attempt failed (exit code 3); all 3 attempts are used up!',
    });
  });

  it('follows no redirect, and shows status and answer of a refusal', async () => {
    const arrived = receiver.received.length;
    const redirected = await rejectionOf(deliver(action, { url: url('/redirect') }));
    expect(redirected.message).to.match(/^127\.0\.0\.1:\d+ answered with a redirect, which is not followed$/);
    expect(redirected).to.deep.include({ status: 302, response: 'moved' });
    const refused = await rejectionOf(deliver(action, { url: url('/refuses') }));
    expect(refused).to.deep.include({ status: 503 });
    expect(receiver.received).to.have.length(arrived);
  });

  it('reaches no private address unless the operator allows it, also by a name', async () => {
    const strict = actionOf(plugin);
    const { port } = new URL(receiver.origin);
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
      const error = await rejectionOf(deliver(strict, { url: `http://${host}:${port}/ok` }));
      expect(error.message).to.match(
        /belongs to this machine or its network, and HORARIUM_OUTBOUND_NETWORKS does not allow it$/,
      );
    }
  });

  it('takes only complete addresses and keys of Standard Webhooks', () => {
    const accepts = (field: string, value: unknown) => action.options[field]?.isValidSync(value, { strict: true });
    expect(accepts('url', 'https://example.com/hook')).to.equal(true);
    for (const wrong of ['example.com', 'ftp://example.com', 'https://u:p@example.com', '', null])
      expect(accepts('url', wrong), String(wrong)).to.equal(false);
    expect([accepts('secret', secret), accepts('secret', null), accepts('secret', 'abc')]).to.deep.equal([
      true,
      true,
      false,
    ]);
  });
});
