import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { sourceRoot } from '../house/source-files.ts';
import { allAttacks } from './all-attacks.ts';
import { tryAttacks } from './attack.ts';
import { openTarget } from './own-target.ts';

describe('attacks by users with ordinary rights', () => {
  let opened: Awaited<ReturnType<typeof openTarget>>;

  before(async () => {
    opened = await openTarget('sqlite');
  });
  after(() => opened[Symbol.asyncDispose]());

  it('are those on the claims that SECURITY.md makes', () => {
    const section = /## What is tried\n([^#]*)/.exec(readFileSync(join(sourceRoot, 'SECURITY.md'), 'utf8'))?.[1] ?? '';
    const items = section.split(/^\* /m).slice(1);
    const claims = items.map((item) => item.trim().replace(/\s+/g, ' ').replace(/\.$/, ''));
    expect(claims).to.deep.equal(allAttacks.map(({ claim }) => claim));
  });

  for (const attack of allAttacks)
    it(`break no promise: ${attack.claim}`, async function () {
      for await (const { result, detail } of tryAttacks([attack], opened.target)) {
        if (result === 'not tried') this.skip();
        expect(result, detail).to.equal('held');
      }
    }).timeout(60_000);
});
