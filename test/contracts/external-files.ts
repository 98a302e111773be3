import { hash } from 'node:crypto';
import { expect } from 'chai';
import { type ExternalFixture, ExternalWorld, outcomes } from '../support/worlds/external-world.ts';

/** Encodes a file for a report. */
function artifact(filename: string, content: string | Uint8Array) {
  return { filename, content: Buffer.from(content as string).toString('base64') };
}

/** The artifacts of external attempts, which every store must keep unchanged. */
export function externalFilesContract(name: string, open: () => Promise<ExternalFixture>): void {
  describe(`Artifacts of external attempts ${name}`, () => {
    let world: ExternalWorld;

    before(async () => {
      world = await new ExternalWorld(await open()).seed();
    });
    after(() => world.close());

    it('are stored unchanged, whether they are reported with the end of the attempt or before it', async () => {
      const id = await world.claimJob();
      const everyByte = Uint8Array.from({ length: 256 }, (_, at) => at);
      const artifacts = [
        artifact('out/every.BIN', everyByte),
        { ...artifact('empty', ''), content_type: 'Text/X-None' },
      ];
      await world.host.external.report(world.actor, id, { artifacts });
      await world.host.external.report(world.actor, id, { exit_code: 1, artifacts: [artifact('last.json', '{}')] });
      const stored = await world.filesOf(id);
      expect(stored.map(({ row }) => [row.filename, row.content_type, row.size])).to.deep.equal([
        ['out/every.BIN', 'application/octet-stream', 256],
        ['empty', 'text/x-none', 0],
        ['last.json', 'application/json', 2],
      ]);
      expect(new Uint8Array(stored[0]?.content as Uint8Array)).to.deep.equal(everyByte);
      for (const { row, content } of stored)
        expect(row).to.include({ sha256: hash('sha256', content), company_id: world.owner.company_id });
      const late = world.host.external.report(world.actor, id, { artifacts: [artifact('late', 'x')] });
      expect(await outcomes([late])).to.deep.equal(['conflict']);
    });

    it('exceed a limit of size or number, so that the whole report is refused', async () => {
      const id = await world.claimJob();
      const ofSize = (filename: string, size: number) => artifact(filename, 'x'.repeat(size));
      const refusal = async (...artifacts: object[]) => {
        const report = { artifacts, exit_code: 0, stdout: 'all of it' };
        return world.host.external.report(world.actor, id, report).then(String, (error: Error) => error.message);
      };
      expect(await refusal(ofSize('fits', 300), ofSize('large', 301))).to.equal(
        'Job is invalid: artifacts[1]: large cannot be stored: it has 301 bytes; a file may have at most 300',
      );
      await world.host.external.report(world.actor, id, { artifacts: [ofSize('one', 300), ofSize('two', 300)] });
      expect(await refusal(ofSize('three', 101))).to.match(
        /three cannot be stored: the files of a job may have at most 700 byt/,
      );
      expect(await refusal(ofSize('three', 1), ofSize('four', 1))).to.match(
        /four cannot be stored: a job may have at most 3 files/,
      );
      expect(await refusal(ofSize('two', 1))).to.equal(`two of Job ${id} is stored already: files never change.`);
      expect((await world.filesOf(id)).map(({ row }) => row.filename)).to.deep.equal(['one', 'two']);
      expect([(await world.readJob(id)).state, (await world.outputOf(id)).pieces.length]).to.deep.equal(['running', 0]);
    });

    it('are stored once when concurrent reports contain the same file', async () => {
      const id = await world.claimJob();
      const artifacts = [artifact('report.pdf', 'x')];
      const results = await outcomes(world.onEveryHost((host) => host.external.report(world.actor, id, { artifacts })));
      expect(results.filter((result) => result === 'done')).to.have.length(1);
      expect(results.filter((result) => result === 'conflict')).to.have.length(results.length - 1);
      expect(await world.filesOf(id)).to.have.length(1);
    });
  });
}
