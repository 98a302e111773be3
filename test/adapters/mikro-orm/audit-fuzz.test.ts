import { expect } from 'chai';
import { fuzzAudit } from '../../support/audit-fuzz/fuzz-audit.ts';
import { openIntruder } from '../../support/audit-fuzz/unprotected-log.ts';

describe('The audit log in a database that somebody changes past the service', () => {
  const fixedSeed = process.env['FUZZ_SEED'];
  const seed = fixedSeed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(fixedSeed);

  for (const kind of ['sqlite', 'postgresql'] as const)
    it(`names the entry of every change, whatever its columns hold (${kind})`, async () => {
      await using intruder = await openIntruder(kind);
      const { changed, findings } = await fuzzAudit(intruder, { seed, count: 150 });
      expect(findings, `FUZZ_SEED=${seed}`).to.deep.equal([]);
      expect(changed).to.be.above(100);
    });
});
