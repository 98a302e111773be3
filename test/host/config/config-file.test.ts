import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { findConfigFile, readConfigFile } from '../../../host/config/config-file.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';

describe('readConfigFile', () => {
  let folder: string;
  before(() => {
    folder = temporaryFolder('config');
  });
  after(() => rm(folder, { recursive: true }));

  const read = async (content: string) => {
    await writeFile(join(folder, 'FILE'), content);
    return readConfigFile('FILE', folder).catch((error: Error) => error.message);
  };

  it('reads values, lists and mappings as they would be written in the environment', async () => {
    const file = await read('port: 80\nexecutables: [/bin, /usr/bin]\nplugin_options: {a: {b: 1}}\nhost: ~\n');
    expect(file).to.have.property('values').that.deep.equals({
      port: '80',
      executables: '/bin,/usr/bin',
      plugin_options: '{"a":{"b":1}}',
    });
  });

  it('rejects a file that is missing, is not YAML or is not a mapping', async () => {
    expect(await read('- 1\n')).to.equal('The settings file FILE must hold names and values, such as "port: 8080".');
    expect(await read('a: [')).to.match(/^The settings file FILE is not YAML: /);
    const missing = await readConfigFile('none.yaml', folder).catch((error: Error) => error.message);
    expect(missing).to.match(/^The settings file none\.yaml cannot be read: ENOENT/);
  });
});

describe('A command that names no settings file', () => {
  const folder = temporaryFolder('config');
  const ofMachine = join(folder, 'horarium.yaml');
  before(() => writeFile(ofMachine, 'port: 81\n'));
  after(() => rm(folder, { recursive: true }));

  it('reads the one of HORARIUM_CONFIG, else that of the machine', async () => {
    expect(await findConfigFile({ HORARIUM_CONFIG: 'mine.yaml' }, ofMachine)).to.equal('mine.yaml');
    expect(await findConfigFile({}, ofMachine)).to.equal(ofMachine);
  });

  it('reads none where HORARIUM_CONFIG is empty, or the machine has none', async () => {
    expect(await findConfigFile({ HORARIUM_CONFIG: '' }, ofMachine)).to.equal(undefined);
    expect(await findConfigFile({}, join(folder, 'missing/horarium.yaml'))).to.equal(undefined);
    expect(await findConfigFile({}, undefined)).to.equal(undefined);
  });

  it('goes by no other settings where that of the machine is hidden from its user', async () => {
    const loop = join(folder, 'loop');
    await symlink(loop, loop);
    expect(await findConfigFile({}, loop)).to.equal(loop);
    const refusal = await rejectionOf(readConfigFile(loop, '/', loop));
    expect(String(refusal)).to.match(
      /ELOOP.*Be root or another user who may read it; an empty HORARIUM_CONFIG goes without/,
    );
  });
});
