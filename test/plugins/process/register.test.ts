import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { Register } from '../../../plugins/process/launcher/register.ts';
import { launcherFolderPrefix } from '../../../plugins/process/messages.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';

describe('The register of launchers', () => {
  let top: string;
  beforeEach(() => {
    top = temporaryFolder('register');
  });
  afterEach(() => rmSync(top, { recursive: true, force: true }));

  /** A launcher's folder and its scratch, made as a launcher makes them. */
  function launcher(name: string, mode = 0o711) {
    const folder = `${top}/${launcherFolderPrefix}${name}`;
    const scratch = `${top}/scratch-${name}`;
    mkdirSync(folder);
    chmodSync(folder, mode);
    mkdirSync(scratch);
    return { folder, scratch, register: new Register({ folder, scratch }, null) };
  }

  /** Makes the launcher of a folder one that has ended. */
  function endLauncherOf({ folder }: { readonly folder: string }): void {
    const file = `${folder}/launcher`;
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), beginning: 1 }));
  }

  it('removes the folders of launchers that were killed', async () => {
    const dead = launcher('dead');
    endLauncherOf(dead);
    const { register } = launcher('new');
    await register.endPredecessors();
    await register.close();
    expect([existsSync(dead.folder), existsSync(dead.scratch)]).to.deep.equal([false, false]);
  });

  it('ignores a folder that another user could have written to', async () => {
    const planted = launcher('planted', 0o777);
    endLauncherOf(planted);
    const { register } = launcher('new');
    await register.endPredecessors();
    await register.close();
    expect([existsSync(planted.folder), existsSync(planted.scratch)]).to.deep.equal([true, true]);
  });

  it('ignores a folder of another user', async function () {
    if (process.getuid?.() !== 0) return this.skip();
    const planted = launcher('planted');
    endLauncherOf(planted);
    chownSync(planted.folder, 65_534, 65_534);
    const { register } = launcher('new');
    await register.endPredecessors();
    await register.close();
    expect([existsSync(planted.folder), existsSync(planted.scratch)]).to.deep.equal([true, true]);
  });
});
