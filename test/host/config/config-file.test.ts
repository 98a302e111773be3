import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfigFile } from '../../../host/config/config-file.ts';
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
