import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import {
  isRefusal,
  signWebhook,
  verifyWebhook,
  type WebhookHeaders,
  webhookSecret,
} from '../../../plugins/standard-webhooks/standard-webhooks.ts';

const [secret, other] = [randomBytes(24), randomBytes(64)].map((key) => `whsec_${key.toString('base64')}`) as [
  string,
  string,
];
const now = Math.floor(Date.now() / 1000);
const message = { id: 'msg_1', timestamp: now, body: '{"total":"12,50 €"}' };

/** Verifies headers by our own function. @returns why they are refused, or null. */
function refusalOf(headers: Partial<WebhookHeaders>, { body = message.body, secrets = [secret], at = now } = {}) {
  const result = verifyWebhook((name) => headers[name], body, secrets, at);
  return isRefusal(result) ? result.reason : null;
}

describe('Standard Webhooks', () => {
  it('accept of the library standardwebhooks what they sign, and have it accept what they sign, whatever the text', () => {
    const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/);
    const key = fc
      .uint8Array({ minLength: 24, maxLength: 64 })
      .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);
    fc.assert(
      fc.property(id, fc.json(), key, (messageId, body, ownSecret) => {
        expect(ownSecret).to.match(webhookSecret);
        const library = new Webhook(ownSecret);
        const headers = signWebhook({ id: messageId, timestamp: now, body }, [ownSecret]);
        expect(library.verify(body, { ...headers })).to.deep.equal(JSON.parse(body));
        const signed = library.sign(messageId, new Date(now * 1000), body);
        expect(refusalOf({ ...headers, 'webhook-signature': signed }, { body, secrets: [ownSecret] })).to.equal(null);
      }),
      { numRuns: 50 },
    );
  });

  it('accept each of several signatures by each of several keys, so that keys rotate', () => {
    const both = signWebhook(message, [other, secret]);
    for (const key of [secret, other]) {
      expect(refusalOf(both, { secrets: [key] })).to.equal(null);
      expect(new Webhook(key).verify(message.body, { ...both })).to.deep.equal(JSON.parse(message.body));
      expect(refusalOf(signWebhook(message, [key]), { secrets: [secret, other] })).to.equal(null);
    }
  });

  it('refuse what was altered, what another key signed and what has no signature of their version', () => {
    const headers = signWebhook(message, [secret]);
    const foreign = /None of its signatures was made with a key/;
    expect(refusalOf(headers, { body: '{"total":"1250 €"}' })).to.match(foreign);
    expect(refusalOf({ ...headers, 'webhook-id': 'msg_2' })).to.match(foreign);
    expect(refusalOf({ ...headers, 'webhook-timestamp': `${now + 1}` })).to.match(foreign);
    expect(refusalOf({ ...headers, 'webhook-timestamp': `0${now}` })).to.match(foreign);
    expect(refusalOf(signWebhook(message, [other]))).to.match(foreign);
    expect(refusalOf(headers, { secrets: [] })).to.match(foreign);
    const [, signature = ''] = headers['webhook-signature'].split(',');
    for (const given of [signature, `v1a,${signature}`, 'v1,', 'v1,AAAA', `v1,${signature.slice(0, 20)}`])
      expect(refusalOf({ ...headers, 'webhook-signature': given }), given).to.match(foreign);
  });

  it('refuse a message without one of the headers, or with a time that is none', () => {
    const headers = signWebhook(message, [secret]);
    for (const name of Object.keys(headers) as (keyof WebhookHeaders)[])
      expect(refusalOf({ ...headers, [name]: undefined })).to.match(/It is not signed/);
    for (const time of ['soon', '-1', '1.5', '9'.repeat(13)])
      expect(refusalOf({ ...headers, 'webhook-timestamp': time })).to.match(/is no number of seconds/);
  });

  it('refuse a message that was signed more than 5 minutes before or after now, in whole seconds as the library does', () => {
    const headers = signWebhook(message, [secret]);
    for (const at of [now - 300, now + 300]) expect(refusalOf(headers, { at })).to.equal(null);
    expect(refusalOf(headers, { at: now + 301 })).to.equal('It was signed 301 s before now; 300 s are accepted');
    expect(refusalOf(headers, { at: now - 301 })).to.equal('It was signed 301 s after now; 300 s are accepted');
  });

  it('take only keys of 24 to 64 bytes after whsec_', () => {
    const lengths = Array.from({ length: 80 }, (_, length) => length);
    const accepted = lengths.filter((length) => webhookSecret.test(`whsec_${randomBytes(length).toString('base64')}`));
    expect(accepted).to.deep.equal(lengths.filter((length) => length >= 24 && length <= 64));
    expect('secret').to.not.match(webhookSecret);
    expect(secret.slice(6)).to.not.match(webhookSecret);
  });
});
