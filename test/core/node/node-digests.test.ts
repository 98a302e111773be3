import { NodeDigests } from '@horarium/core/node';
import { expect } from 'chai';

describe('NodeDigests', () => {
  const digests = new NodeDigests();

  it('makes another random text of 256 bits each time', () => {
    const texts = Array.from({ length: 100 }, () => digests.random());
    expect(new Set(texts)).to.have.property('size', 100);
    for (const text of texts) expect(text).to.match(/^[\w-]{43}$/);
  });

  it('computes SHA-256 in lower-case hex', () => {
    const expected = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(digests.sha256('abc')).to.equal(expected);
  });

  it('computes keyed digests that another instance cannot compute', () => {
    expect(digests.keyed('abc')).to.equal(digests.keyed('abc')).and.not.equal(digests.keyed('abd'));
    expect(digests.keyed('abc')).to.not.equal(new NodeDigests().keyed('abc'));
  });
});
