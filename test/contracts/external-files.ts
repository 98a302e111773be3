import { hash } from 'node:crypto';
import { Artifact } from '@horarium/core';
import { expect } from 'chai';
import { ArtifactContent, type ArtifactRow, readContent, storeArtifacts } from '#core/job/artifact';
import { bytesOf } from '../support/http/bytes-of.ts';
import { rejectionOf } from '../support/mocha/rejection-of.ts';
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

    it('are read in pieces, each when it is taken, so that a slow reader of a large one holds no more', async () => {
      const job = await world.readJob(await world.claimJob());
      const content = Uint8Array.from({ length: 1024 * 1024 + 1 }, (_, at) => (at * 7 + (at >> 10)) % 256);
      const file = { filename: 'large', contentType: 'text/plain', sha256: hash('sha256', content), content };
      await world.host.store.transaction(world.actor, (tables) => storeArtifacts(tables, job, [file]));
      const { store } = world.host;
      let reads = 0;
      const counting = {
        readOnce: ((work) => {
          reads += 1;
          return store.readOnce(work);
        }) as typeof store.readOnce,
      };
      const [row] = await store.read((tables) => tables.of(Artifact).find({ where: [['job_id', '=', job.id]] }));
      const pieces: Uint8Array[] = [];
      for await (const piece of readContent(counting, row as ArtifactRow)) {
        pieces.push(piece);
        expect(reads).to.equal(pieces.length);
        expect(piece.length).to.be.at.most(128 * 1024);
      }
      expect(hash('sha256', Buffer.concat(pieces))).to.equal(file.sha256);
      expect(pieces).to.have.length(9);
      await store.transaction(world.actor, (tables) =>
        tables.of(ArtifactContent).delete([['artifact_id', '=', row?.id as number]]),
      );
      expect((await rejectionOf(bytesOf(readContent(store, row as ArtifactRow)))).message).to.match(/Artifact/);
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
