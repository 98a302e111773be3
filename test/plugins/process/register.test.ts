import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { endDeadLaunchers, registerLauncher } from '../../../plugins/process/launcher/register.ts';
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
    registerLauncher({ folder, scratch }, null);
    return { folder, scratch };
  }

  /** Makes the launcher of a folder one that has ended. */
  function endLauncherOf({ folder }: { readonly folder: string }, change: object = { beginning: 1 }): void {
    const file = `${folder}/launcher`;
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...change }));
  }

  /** Removes what dead launchers left, beside one that is alive. */
  async function removeDead(): Promise<void> {
    const alive = launcher('alive');
    const remove = await endDeadLaunchers(top);
    await remove();
    expect([existsSync(alive.folder), existsSync(alive.scratch)]).to.deep.equal([true, true]);
  }

  it('removes the folders of launchers that were killed', async () => {
    const dead = launcher('dead');
    endLauncherOf(dead);
    await removeDead();
    expect([existsSync(dead.folder), existsSync(dead.scratch)]).to.deep.equal([false, false]);
  });

  it('removes those of an earlier boot of the machine, and none of another machine', async () => {
    const [earlier, elsewhere] = [launcher('earlier'), launcher('elsewhere')];
    endLauncherOf(earlier, { namespace: 'earlier/pid:[1]' });
    endLauncherOf(elsewhere, { namespace: 'another/pid:[1]', host: 'another', beginning: 1 });
    await removeDead();
    expect([existsSync(earlier.folder), existsSync(elsewhere.folder)]).to.deep.equal([false, true]);
  });

  it('ignores a folder that another user could have written to', async () => {
    const planted = launcher('planted', 0o777);
    endLauncherOf(planted);
    await removeDead();
    expect([existsSync(planted.folder), existsSync(planted.scratch)]).to.deep.equal([true, true]);
  });

  it('ignores a folder of another user', async function () {
    if (process.getuid?.() !== 0) return this.skip();
    const planted = launcher('planted');
    endLauncherOf(planted);
    chownSync(planted.folder, 65_534, 65_534);
    await removeDead();
    expect([existsSync(planted.folder), existsSync(planted.scratch)]).to.deep.equal([true, true]);
  });
});
