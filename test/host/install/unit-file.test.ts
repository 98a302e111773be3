import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { isStartable, type UnitOptions, unitFile } from '../../../host/commands/install/unit-file.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';

const run = promisify(execFile);
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

const ofUser: UnitOptions = {
  program: ['/usr/bin/env', '/usr/lib/node_modules/horarium/dist/host/horarium.js'],
  user: 'horarium',
  group: 'horarium',
  configFile: '/etc/horarium/horarium.yaml',
  systemd: 254,
};
const ofRoot: UnitOptions = { ...ofUser, user: 'root', group: 'root' };

describe('The unit of the service', () => {
  it('lets systemd wait until the service is ready', () => {
    for (const options of [ofUser, ofRoot, { ...ofUser, systemd: 252 }])
      expect(linesOf(options)).to.include.members(['Type=notify', 'NotifyAccess=all', 'TimeoutStartSec=infinity']);
  });

  it('takes no messages of jobs of other users, where systemd goes on believing them', () => {
    for (const systemd of [253, null]) {
      expect(linesOf({ ...ofRoot, systemd })).to.include('Type=exec');
      expect(unitFile({ ...ofRoot, systemd })).not.to.match(/notify/i);
    }
  });

  it('names no program that systemd cannot start', () => {
    for (const path of ['/opt/a"b', '/opt/$HOME', '/opt/%h', '/opt/a\\b', "/opt/it's", 'node', '/opt/a\nb'])
      expect(isStartable(path), path).to.equal(false);
  });

  describe('in the eyes of systemd', () => {
    before(function () {
      if (!hasSystemd) this.skip();
    });

    for (const [name, options, exposure] of [
      ['of a user', ofUser, 67],
      ['of root', ofRoot, 84],
    ] as const) {
      it(`is valid ${name}, and exposes at most ${exposure / 10}`, async () => {
        const path = writeUnit(options);
        const verified = await run('systemd-analyze', ['verify', '--man=no', path]);
        expect(verified).to.deep.equal({ stdout: '', stderr: '' });
        // It ends with an exit code other than 0 above the threshold.
        await run('systemd-analyze', ['security', '--offline=true', `--threshold=${exposure}`, '--no-pager', path]);
      });
    }

    it('starts a program whose path has spaces, and all that else may be in one', async () => {
      const folder = join(temporaryFolder('unit'), 'my apps, v1.0+2@b=c:d_e-f');
      mkdirSync(folder);
      const program = join(folder, 'true');
      writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
      expect(isStartable(program)).to.equal(true);
      const path = writeUnit({ ...ofUser, program: [program] });
      expect(await run('systemd-analyze', ['verify', '--man=no', path])).to.deep.equal({ stdout: '', stderr: '' });
    });
  });
});

function linesOf(options: UnitOptions): string[] {
  return unitFile(options).split('\n');
}

/** Writes a unit to a file of the name that systemd asks for. @returns its path. */
function writeUnit(options: UnitOptions): string {
  const path = join(temporaryFolder('unit'), 'horarium.service');
  writeFileSync(path, unitFile(options));
  return path;
}
