import { type HttpRequest, Semaphore } from '@horarium/core';
import { expect } from 'chai';
import { anonymousBodyLimit, parseBody, readText } from '../../../../adapters/http/request/body.ts';
import { rejectionOf } from '../../../support/mocha/rejection-of.ts';

function requestWith(...chunks: readonly (string | Uint8Array)[]): HttpRequest {
  async function* body() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  return { headers: { 'content-type': ['application/json'] }, body: body() } as unknown as HttpRequest;
}

describe('The text of a body', () => {
  it('is as it was sent, so that a signature over it can be verified', async () => {
    const sent = '\ufeff{"a": 1}';
    const text = await readText(requestWith(sent), 100);
    expect(text).to.equal(sent);
    expect(parseBody(requestWith(), text)).to.deep.equal({ kind: 'json', value: { a: 1 } });
  });

  it('is large for few callers without authentication at once', async () => {
    const large = new Semaphore(1);
    const big = () => requestWith('x'.repeat(anonymousBodyLimit), 'x');
    const { promise: end, resolve } = Promise.withResolvers<string>();
    async function* waiting() {
      yield Buffer.alloc(anonymousBodyLimit + 1, 'x');
      yield Buffer.from(await end);
    }
    const first = readText({ ...requestWith(), body: waiting() } as HttpRequest, 1e6, large);
    expect(await rejectionOf(readText(big(), 1e6, large))).to.have.property('code', 'too_many_requests');
    expect(await readText(requestWith('x'.repeat(anonymousBodyLimit)), 1e6, large)).to.have.length(anonymousBodyLimit);
    expect(await readText(big(), 1e6)).to.have.length(anonymousBodyLimit + 1);
    resolve('end');
    expect(await first).to.have.length(anonymousBodyLimit + 4);
    expect(await readText(big(), 1e6, large)).to.have.length(anonymousBodyLimit + 1);
    expect(await rejectionOf(readText(big(), 1, large))).to.have.property('code', 'payload_too_large');
    expect(large.tryAcquire()).to.equal(true);
  });
});
