import { chmodSync, closeSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { Pipes } from '../../../plugins/executor-native/launcher/pipes.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';

describe('Pipes', () => {
  it('are made again after they were deleted, so that jobs still run', async () => {
    const top = temporaryFolder('pipes');
    let made = Promise.withResolvers<void>();
    const pipes = new Pipes(`${top}/pipes`, () => made.resolve());
    await made.promise;
    made = Promise.withResolvers();
    rmSync(`${top}/pipes`, { recursive: true });
    expect(pipes.take()).to.equal(null);
    await made.promise;
    expect(pipes.ready).to.equal(true);
    for (const { reading, writing } of pipes.take() ?? []) {
      closeSync(reading);
      closeSync(writing);
    }
    await pipes.close();
    rmSync(top, { recursive: true });
  });

  it('are not opened in a folder that another user can write to', async () => {
    const top = temporaryFolder('pipes');
    const made = Promise.withResolvers<void>();
    const pipes = new Pipes(`${top}/pipes`, made.resolve);
    await made.promise;
    writeFileSync(`${top}/victim`, 'as it was');
    chmodSync(`${top}/pipes`, 0o777);
    for (const name of readdirSync(`${top}/pipes`)) {
      rmSync(`${top}/pipes/${name}`);
      symlinkSync(`${top}/victim`, `${top}/pipes/${name}`);
    }
    expect(pipes.take()).to.equal(null);
    expect(pipes.ready).to.equal(true);
    expect(() => pipes.fileWith('secret')).to.throw('EEXIST');
    await pipes.close();
    rmSync(top, { recursive: true });
  });
});
