import { hash } from 'node:crypto';
import { expect } from 'chai';
import { type ExternalSubject, ExternalWorld, outcomes } from '../support/worlds/external-world.ts';

/** A file as a report has it. */
function reported(filename: string, content: string | Uint8Array) {
  return { filename, content: Buffer.from(content as string).toString('base64') };
}

/** The files of external attempts, on every store. */
export function externalFilesContract(name: string, open: () => Promise<ExternalSubject>): void {
  describe(`Files of external attempts ${name}`, () => {
    let world: ExternalWorld;

    before(async () => {
      world = await new ExternalWorld(await open()).begin();
    });
    after(() => world.close());

    it('are stored byte by byte, with the end of the attempt or before it', async () => {
      const id = await world.claimed();
      const every = Uint8Array.from({ length: 256 }, (_, at) => at);
      const artifacts = [reported('out/every.BIN', every), { ...reported('empty', ''), content_type: 'Text/X-None' }];
      await world.host.external.report(world.actor, id, { artifacts });
      await world.host.external.report(world.actor, id, { exit_code: 1, artifacts: [reported('last.json', '{}')] });
      const stored = await world.filesOf(id);
      expect(stored.map(({ row }) => [row.filename, row.content_type, row.size])).to.deep.equal([
        ['out/every.BIN', 'application/octet-stream', 256],
        ['empty', 'text/x-none', 0],
        ['last.json', 'application/json', 2],
      ]);
      expect(new Uint8Array(stored[0]?.content as Uint8Array)).to.deep.equal(every);
      for (const { row, content } of stored)
        expect(row).to.include({ sha256: hash('sha256', content), company_id: world.own.company_id });
      const late = world.host.external.report(world.actor, id, { artifacts: [reported('late', 'x')] });
      expect(await outcomes([late])).to.deep.equal(['conflict']);
    });

    it('are refused beyond the limits, with the whole report', async () => {
      const id = await world.claimed();
      const sized = (filename: string, size: number) => reported(filename, 'x'.repeat(size));
      const refusal = async (...artifacts: object[]) => {
        const report = { artifacts, exit_code: 0, stdout: 'all of it' };
        return world.host.external.report(world.actor, id, report).then(String, (error: Error) => error.message);
      };
      expect(await refusal(sized('fits', 300), sized('large', 301))).to.equal(
        'Job is invalid: artifacts[1]: large cannot be stored: it has 301 bytes, more than the 300 that a file may have',
      );
      await world.host.external.report(world.actor, id, { artifacts: [sized('one', 300), sized('two', 300)] });
      expect(await refusal(sized('three', 101))).to.match(
        /three cannot be stored: the files of one job may have 700 byt/,
      );
      expect(await refusal(sized('three', 1), sized('four', 1))).to.match(
        /four cannot be stored: there may be 3 files/,
      );
      expect(await refusal(sized('two', 1))).to.equal(`two of Job ${id} is stored already: files never change.`);
      expect((await world.filesOf(id)).map(({ row }) => row.filename)).to.deep.equal(['one', 'two']);
      expect([(await world.read(id)).state, (await world.written(id)).pieces.length]).to.deep.equal(['running', 0]);
    });

    it('are stored once when the same file is reported several times at the same moment', async () => {
      const id = await world.claimed();
      const artifacts = [reported('report.pdf', 'x')];
      const seen = await outcomes(world.everywhere((each) => each.external.report(world.actor, id, { artifacts })));
      expect(seen.filter((each) => each === 'done')).to.have.length(1);
      expect(seen.filter((each) => each === 'conflict')).to.have.length(seen.length - 1);
      expect(await world.filesOf(id)).to.have.length(1);
    });
  });
}
