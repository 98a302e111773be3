import { expect } from 'chai';
import { excessErrors, excessOfSecrets } from '#core/secret/secrets-size';

describe('The size of secrets', () => {
  it('is counted in bytes of UTF-8, and each secret as 64 of them at least', () => {
    expect(excessOfSecrets([])).to.equal(null);
    expect(excessOfSecrets(['é'.repeat(16_384), 'x'.repeat(32_768)])).to.equal(null);
    expect(excessOfSecrets(['é'.repeat(16_384), 'x'.repeat(32_705), 'short'])).to.equal(
      'its secrets have 65537 bytes in all, where a shorter one counts as 64; at most 65536 are allowed',
    );
    const short = Array.from({ length: 1025 }, (_, index) => `${index}`);
    expect([excessOfSecrets(short.slice(1)), typeof excessOfSecrets(short)]).to.deep.equal([null, 'string']);
  });

  it('is not known in full where it is too large already', () => {
    const decrypted: string[] = [];
    const kept = ['x'.repeat(65_537), 'never decrypted'].map((plain) => () => {
      decrypted.push(plain);
      return plain;
    });
    expect(excessErrors(kept, [])).to.deep.equal([]);
    expect(excessErrors(kept, [{ field: 'a', plain: 'a' }]).map(({ field }) => field)).to.deep.equal(['a']);
    expect(decrypted.map(({ length }) => length)).to.deep.equal([65_537]);
  });
});
