import { closeSync, rmSync } from 'node:fs';
import { expect } from 'chai';
import { Pipes } from '../../../plugins/executor-native/launcher/pipes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('Pipes that were made in advance', () => {
  it('are made anew when somebody tidied them away, so that jobs go on', async () => {
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
});
