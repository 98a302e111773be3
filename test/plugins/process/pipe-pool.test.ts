import { chmodSync, closeSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { PipePool } from '../../../plugins/process/launcher/pipe-pool.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';

describe('PipePool', () => {
  let parent: string;
  let folder: string;
  let filled: PromiseWithResolvers<void>;
  let pool: PipePool;

  beforeEach(async () => {
    parent = temporaryFolder('pipes');
    folder = `${parent}/pipes`;
    filled = Promise.withResolvers();
    pool = new PipePool(folder, () => filled.resolve());
    await filled.promise;
  });

  afterEach(async () => {
    await pool.close();
    rmSync(parent, { recursive: true });
  });

  it('makes new pipes after its folder was deleted', async () => {
    filled = Promise.withResolvers();
    rmSync(folder, { recursive: true });
    expect(pool.take()).to.equal(null);
    await filled.promise;
    expect(pool.isReady).to.equal(true);
    const pipes = pool.take() ?? [];
    expect(pipes).to.have.lengthOf(2);
    for (const { readEnd, writeEnd } of pipes) {
      closeSync(readEnd);
      closeSync(writeEnd);
    }
  });

  it('opens no file in a folder that other users can write to, so that jobs start with sockets', () => {
    const victim = `${parent}/victim`;
    writeFileSync(victim, 'as it was');
    chmodSync(folder, 0o777);
    for (const name of readdirSync(folder)) {
      rmSync(`${folder}/${name}`);
      symlinkSync(victim, `${folder}/${name}`);
    }
    expect(pool.take()).to.equal(null);
    expect(pool.isReady).to.equal(true);
    expect(() => pool.openStdin('secret')).to.throw('EEXIST');
    expect(readFileSync(victim, 'utf8')).to.equal('as it was');
  });
});
