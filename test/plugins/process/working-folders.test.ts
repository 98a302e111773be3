import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { expect } from 'chai';
import { createLauncherFolder } from '../../../plugins/process/launcher/launcher-folder.ts';
import { WorkingFolders } from '../../../plugins/process/launcher/working-folders.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';

describe('Working directories', () => {
  let top: string;
  let folders: WorkingFolders;
  let parent: string;
  beforeEach(() => {
    top = temporaryFolder('working');
    parent = `${top}/launcher`;
    createLauncherFolder(parent);
    folders = new WorkingFolders(parent);
  });
  afterEach(() => rmSync(top, { recursive: true, force: true }));
  const modeOf = (path: string) => statSync(path).mode & 0o777;

  it('are accessible only to the user of the job', () => {
    expect(modeOf(folders.take(null))).to.equal(0o700);
  });

  it('are made again after all were deleted, in a folder that jobs of other users can pass through', () => {
    folders.release(folders.take(null), null);
    rmSync(parent, { recursive: true });
    expect(modeOf(folders.take(null))).to.equal(0o700);
    expect(modeOf(parent)).to.equal(0o711);
  });

  it('are not made in a folder that another user can write to', () => {
    const victim = `${top}/victim`;
    mkdirSync(victim);
    rmSync(parent, { recursive: true });
    mkdirSync(parent);
    chmodSync(parent, 0o777);
    symlinkSync(victim, `${parent}/1`);
    expect(() => folders.take(null)).to.throw('EEXIST');
    expect(readdirSync(victim)).to.deep.equal([]);
    expect(existsSync(parent)).to.equal(true);
  });
});
